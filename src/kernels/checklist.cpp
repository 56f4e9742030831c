#include "checklist.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "arrays.h"

namespace kernels {

namespace {

// What a wrong class counts, in the loss of one row, beside the log loss.
constexpr double kErrorCost = 2.0;
// A weak prior that the scale is 0, so that it is finite where counts part the classes.
constexpr double kRidge = 1e-2;
constexpr int kSteps = 30;
// Newton's steps square what is left: after one of this size, only rounding is.
constexpr double kConverged = 1e-6;
// Bounds of where it starts, for counts that part the classes.
constexpr double kLeastSpread = 0.05, kMostScale = 8.0;

double expit(double logit) { return 1.0 / (1.0 + std::exp(-logit)); }

// log(1 + exp(logit))
double softplus(double logit) {
  return std::max(logit, 0.0) + std::log1p(std::exp(-std::abs(logit)));
}

double x_log_x(double x) { return x > 0.0 ? x * std::log(x) : 0.0; }

// The counts that rows have, and how much of either class has them.
struct Point {
  double count, positive, total;
};

// How much of either class there is, from the first count to the last, and how long that is.
class Counted {
 public:
  Counted(const std::vector<double>& positive, const std::vector<double>& negative)
      : size_(positive.size()) {
    for (size_t at = 0; at < size_; ++at) {
      const double total = positive[at] + negative[at];
      if (total > 0.0)
        points_.push_back({static_cast<double>(at) / kTrue, positive[at], total});
      errors_first_ += negative[at];
    }
    double errors = errors_first_;
    least_errors_ = errors;
    for (size_t at = 0; at < size_; ++at) {
      errors += positive[at] - negative[at];
      least_errors_ = std::min(least_errors_, errors);
    }
  }

  // No probabilities of counts are better than their shares.
  double bound() const {
    double entropy = 0.0;
    for (const auto& each : points_)
      entropy += x_log_x(each.total) - x_log_x(each.positive) -
                 x_log_x(each.total - each.positive);
    return entropy + kErrorCost * least_errors_;
  }

  // The log loss of the best logits, and what wrong classes cost. Infinite if fewer statements
  // had to hold for the better.
  double loss() const {
    const auto [scale, bias] = fit();
    if (scale < 0.0) return INFINITY;
    double loss = 0.0;
    for (const auto& each : points_) {
      const double logit = scale * each.count + bias;
      loss += softplus(logit) * each.total - each.positive * logit;
    }
    return loss + kErrorCost * least_errors_;
  }

  // Logistic regression on the counts, by Newton's method: the scale and the bias.
  std::array<double, 2> fit() const {
    const double mean = static_cast<double>(size_ - 1) / kTrue / 2.0;
    auto [scale, bias] = guess(mean);
    if (size_ == 1) return {scale, bias};
    for (int step = 0; step < kSteps; ++step) {
      double by_bias = 0.0, by_scale = kRidge * scale, a = 1e-12, b = 0.0, c = kRidge;
      for (const auto& each : points_) {
        const double x = each.count - mean, probability = expit(scale * x + bias);
        const double expected = each.total * probability, slope = expected - each.positive;
        const double curvature = expected * (1 - probability);
        by_bias += slope, by_scale += slope * x;
        a += curvature, b += curvature * x, c += curvature * x * x;
      }
      const double determinant = std::max(a * c - b * b, 1e-12);
      const double d_bias = (c * by_bias - b * by_scale) / determinant;
      const double d_scale = (a * by_scale - b * by_bias) / determinant;
      const double largest = std::max(std::abs(d_bias), std::abs(d_scale));
      const double damped = std::min(1.0, 2.0 / std::max(largest, 1e-9));
      bias -= damped * d_bias, scale -= damped * d_scale;
      if (largest < kConverged) break;
    }
    return {scale, bias - scale * mean};
  }

 private:
  // Scale and bias if the counts of either class were normal, with one spread.
  std::array<double, 2> guess(double mean) const {
    double own = 0.0, other = 0.0, one = 0.0, two = 0.0, squares = 0.0;
    for (const auto& each : points_) {
      const double x = each.count - mean, negative = each.total - each.positive;
      own += each.positive, other += negative;
      one += each.positive * x, two += negative * x;
      squares += each.total * x * x;
    }
    own = std::max(own, 1e-9), other = std::max(other, 1e-9);
    one /= own, two /= other;
    const double spread = (squares - own * one * one - other * two * two) / (own + other);
    const double scale = std::clamp((one - two) / std::max(spread, kLeastSpread), -kMostScale,
                                    kMostScale);
    return {scale, std::log(own / other) - scale * (one + two) / 2};
  }

  size_t size_;
  std::vector<Point> points_;
  double errors_first_ = 0.0, least_errors_ = 0.0;
};

// What rows add to the bins of two numbers each.
FOR_ALL_PROCESSORS
void add_to_bins(const std::uint8_t* counts, const double* one, const double* other, size_t n,
                 double* bins) {
  for (size_t row = 0; row < n; ++row) {
    double* bin = &bins[2 * counts[row]];
    bin[0] += one[row], bin[1] += other[row];
  }
}

FOR_ALL_PROCESSORS
void add_values(const std::uint8_t* counts, const Halves* values, size_t n, bool any,
                std::uint8_t* out) {
  if (any)
    for (size_t row = 0; row < n; ++row)
      out[row] = std::max(counts[row], static_cast<std::uint8_t>(values[row]));
  else
    for (size_t row = 0; row < n; ++row)
      out[row] = static_cast<std::uint8_t>(counts[row] + values[row]);
}

}  // namespace

Checklist::Checklist(Rows& rows, const Permits& permits, size_t positive_output,
                     std::vector<double> positive, std::vector<double> weights, bool any,
                     int vote)
    : Objective(rows, permits),
      positive_output_(positive_output),
      positive_(std::move(positive)),
      weights_(std::move(weights)),
      any_(any),
      vote_(vote) {}

Checklist::Counts Checklist::counts(const Statements& statements) {
  Counts found(rows.size());
  Values values;
  for (const auto& each : statements) {
    rows.write_values(each, values);
    add(values.data(), found, found);
  }
  return found;
}

void Checklist::add(const Halves* values, const Counts& counts, Counts& out) const {
  out.resize(counts.size());
  add_values(counts.data(), values, counts.size(), any_, out.data());
}

Checklist::Table Checklist::table(const Counts& counts, int most) const {
  std::vector<double> bins(2 * (most + 1));
  add_to_bins(counts.data(), positive_.data(), weights_.data(), counts.size(), bins.data());
  Table found;
  for (int at = 0; at <= most; ++at) {
    found.positive.push_back(bins[2 * at]);
    found.negative.push_back(std::max(bins[2 * at + 1] - bins[2 * at], 0.0));
  }
  return found;
}

std::vector<Checklist::Table> Checklist::tables_of_cuts(const Counts& base, const Scan& scan,
                                                        int most) const {
  const size_t cuts = scan.size(), wide = 2 * (most + 1);
  Counts above, below;
  add(scan.above.data(), base, above);
  add(scan.below.data(), base, below);
  std::vector<double> high((cuts + 1) * wide), low((cuts + 1) * wide);
  for (size_t row = 0; row < base.size(); ++row) {
    const size_t start = scan.column->ranks[row] * wide;
    double* up = &high[start + 2 * above[row]];
    double* down = &low[start + 2 * below[row]];
    up[0] += positive_[row], up[1] += weights_[row];
    down[0] += positive_[row], down[1] += weights_[row];
  }
  // Rows of a higher rank than a cut lie above it: sums from the end, and from the beginning.
  for (size_t at = cuts; at-- > 0;)
    for (size_t bin = 0; bin < wide; ++bin) high[at * wide + bin] += high[(at + 1) * wide + bin];
  for (size_t at = 1; at < cuts; ++at)
    for (size_t bin = 0; bin < wide; ++bin) low[at * wide + bin] += low[(at - 1) * wide + bin];
  std::vector<Table> found(cuts);
  for (size_t at = 0; at < cuts; ++at) {
    if (!scan.allowed[at]) continue;
    for (size_t bin = 0; bin < wide; bin += 2) {
      const size_t up = (at + 1) * wide + bin, down = at * wide + bin;
      const double positive = std::max(high[up] + low[down], 0.0);
      const double total = std::max(high[up + 1] + low[down + 1], 0.0);
      found[at].positive.push_back(positive);
      found[at].negative.push_back(std::max(total - positive, 0.0));
    }
  }
  return found;
}

double Checklist::loss(const Statements& statements) {
  const Table own = table(counts(statements), most(statements.size()));
  return Counted(own.positive, own.negative).loss() + penalty(statements);
}

std::vector<double> Checklist::losses(const Statements& rest, const Statements& options,
                                      const std::vector<Scan>& scans,
                                      const std::vector<std::vector<double>>& needed,
                                      double limit) {
  const Counts base = counts(rest);
  const int most = this->most(rest.size() + 1);
  const auto penalties = this->penalties(rest, options, scans, needed);
  std::vector<Counted> counted;
  counted.reserve(penalties.size());
  Values values;
  Counts more;
  const auto add_table = [&](const Table& each) {
    counted.emplace_back(each.positive, each.negative);
  };
  for (const auto& each : options) {
    rows.write_values(each, values);
    add(values.data(), base, more);
    add_table(table(more, most));
  }
  for (const auto& scan : scans)
    for (const auto& each : tables_of_cuts(base, scan, most)) add_table(each);

  std::vector<double> bounds(penalties), found(penalties.size(), INFINITY);
  for (size_t at = 0; at < bounds.size(); ++at)
    if (std::isfinite(bounds[at])) bounds[at] += counted[at].bound();
  std::vector<size_t> order(bounds.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t one, size_t other) { return bounds[one] < bounds[other]; });
  double least = limit;
  for (const size_t at : order) {
    if (!(bounds[at] < least + kInDoubt)) break;
    found[at] = counted[at].loss() + penalties[at];
    least = std::min(least, found[at]);
  }
  return found;
}

Slope Checklist::slope(const Statements& statements) {
  const Counts counts = this->counts(statements);
  const Table own = table(counts, most(statements.size()));
  const auto [scale, bias] = Counted(own.positive, own.negative).fit();
  std::vector<double> probabilities;
  for (size_t at = 0; at < own.positive.size(); ++at)
    probabilities.push_back(expit((any_ ? 0.0 : scale * static_cast<double>(at) / kTrue) + bias));
  Slope slope{1, std::vector<double>(2 * counts.size()), statements.empty() ? NAN : scale};
  for (size_t row = 0; row < counts.size(); ++row) {
    if (any_ && counts[row] != kFalse) continue;  // nothing is left to say about it
    const double probability = probabilities[counts[row]];
    slope.by_row[2 * row] = weights_[row] * probability - positive_[row];
    slope.by_row[2 * row + 1] = weights_[row] * probability * (1 - probability);
  }
  return slope;
}

Statements Checklist::oriented(const Statements& options, const Slope& slope) {
  double gradient = 0.0, curvature = 0.0;
  for (size_t row = 0; row < rows.size(); ++row)
    gradient += slope.by_row[2 * row], curvature += slope.by_row[2 * row + 1];
  const double mean = gradient / std::max(curvature, 1e-12);
  std::vector<double> centred(rows.size());
  for (size_t row = 0; row < rows.size(); ++row)
    centred[row] = slope.by_row[2 * row] - mean * slope.by_row[2 * row + 1];
  Statements found;
  Values values;
  for (const auto& each : options) {
    rows.write_values(each, values);
    double sum = 0.0;
    for (size_t row = 0; row < values.size(); ++row) sum += values[row] * centred[row];
    const Statement turned = sum <= 0 ? each : negation(each);
    if (is_permitted(turned)) found.push_back(turned);
  }
  return found;
}

bool Checklist::is_permitted(const Statement& statement) const {
  return permits.allows(statement, positive_output_, vote_);
}

}  // namespace kernels
