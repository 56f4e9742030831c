#include "score_card.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "arrays.h"
#include "lanes.h"

namespace kernels {

namespace {

// What a wrong class counts beside twice its squared error, in the loss of one row.
constexpr double kErrorCost = 1.0;
// How many rows the prior weighs that points are 0: some statements are nearly the same.
constexpr double kRidge = 1.0;
// Of so many options, those of least squared error, the wrong classes are counted.
constexpr size_t kExact = 8;
// A statement of which others leave no more than this share says nothing of its own.
constexpr double kDependent = 1e-9;

FOR_ALL_PROCESSORS
long product_of(const Halves* one, const Halves* other, size_t n) {
  int total = 0;  // of at most four a row, and some thousands of rows
  for (size_t row = 0; row < n; ++row) total += one[row] * other[row];
  return total;
}

FOR_ALL_PROCESSORS
double weighted_product(const Halves* one, const Halves* other, const double* weights, size_t n) {
  return sum_in_lanes(n, [&](size_t row) { return one[row] * other[row] * weights[row]; });
}

FOR_ALL_PROCESSORS
double product_with(const Halves* values, const double* numbers, size_t n) {
  return sum_in_lanes(n, [&](size_t row) { return values[row] * numbers[row]; });
}

FOR_ALL_PROCESSORS
void add_times(const Halves* values, double factor, double* out, size_t n) {
  for (size_t row = 0; row < n; ++row) out[row] += factor * values[row];
}

// How much rows weigh of which the output of the greatest score is not the target. Of equal
// scores the first one counts.
FOR_ALL_PROCESSORS
double wrong(const double* scores, const double* targets, const double* weights, int outputs,
             size_t n) {
  constexpr size_t kBlock = 256;
  double best[kBlock], right[kBlock], total = 0.0;
  for (size_t from = 0; from < n; from += kBlock) {
    const size_t count = std::min(kBlock, n - from);
    std::copy_n(scores + from, count, best);
    std::copy_n(targets + from, count, right);
    for (int output = 1; output < outputs; ++output) {
      const double* own = scores + output * n + from;
      const double* target = targets + output * n + from;
      for (size_t row = 0; row < count; ++row) {
        right[row] = own[row] > best[row] ? target[row] : right[row];
        best[row] = own[row] > best[row] ? own[row] : best[row];
      }
    }
    total += sum_in_lanes(count, [&](size_t row) { return (1 - right[row]) * weights[from + row]; });
  }
  return total;
}

// A symmetric matrix as lower * lower', row by row. Columns that others leave nothing of are left
// out: their rows are 0.
class Cholesky {
 public:
  explicit Cholesky(std::vector<double> matrix, size_t n) : n_(n), lower_(std::move(matrix)) {
    for (size_t at = 0; at < n; ++at) {
      const double whole = row(at)[at];
      for (size_t other = 0; other <= at; ++other) {
        double left = row(at)[other];
        for (size_t k = 0; k < other; ++k) left -= row(at)[k] * row(other)[k];
        if (other < at)
          row(at)[other] = row(other)[other] > 0.0 ? left / row(other)[other] : 0.0;
        else
          row(at)[at] = left > kDependent * whole ? std::sqrt(left) : 0.0;
      }
      std::fill(row(at) + at + 1, row(at) + n, 0.0);
    }
  }

  // Solve lower * x = b, in place.
  void forward(double* b) const {
    for (size_t at = 0; at < n_; ++at) {
      for (size_t k = 0; k < at; ++k) b[at] -= row(at)[k] * b[k];
      b[at] = row(at)[at] > 0.0 ? b[at] / row(at)[at] : 0.0;
    }
  }
  // Solve lower' * x = b, in place.
  void backward(double* b) const {
    for (size_t at = n_; at-- > 0;) {
      for (size_t k = at + 1; k < n_; ++k) b[at] -= row(k)[at] * b[k];
      b[at] = row(at)[at] > 0.0 ? b[at] / row(at)[at] : 0.0;
    }
  }

 private:
  double* row(size_t at) { return &lower_[at * n_]; }
  const double* row(size_t at) const { return &lower_[at * n_]; }

  size_t n_;
  std::vector<double> lower_;
};

}  // namespace

// What is known of some statements and a constant, the first of them: where they hold, and the
// points of least squares, `coefficients` (outputs, statements). `squares` are left.
struct ScoreCard::Basis {
  std::vector<Values> values;
  Cholesky cholesky;
  std::vector<double> coefficients, fitted;
  double squares;

  size_t size() const { return values.size(); }
};

// One more statement, with points for each output, and what is left of it beside the others:
// `along` (statements) are what they take.
struct ScoreCard::Trial {
  std::vector<double> points, along;
  double squares;
};

ScoreCard::ScoreCard(Rows& rows, const Permits& permits, int outputs,
                     std::vector<double> targets)
    : Objective(rows, permits), outputs_(outputs), targets_(std::move(targets)) {
  const auto& weights = rows.weights();
  for (const double weight : weights) total_ += weight, uniform_ = uniform_ && weight == 1.0;
  for (size_t at = 0; at < targets_.size(); ++at) {
    weighted_.push_back(targets_[at] * weights[at % rows.size()]);
    squares_ += weighted_.back() * targets_[at];
  }
}

double ScoreCard::product(const Values& one, const Values& other) const {
  const size_t n = one.size();
  if (uniform_) return static_cast<double>(product_of(one.data(), other.data(), n)) / 4.0;
  return weighted_product(one.data(), other.data(), rows.weights().data(), n) / 4.0;
}

double ScoreCard::sum(const Values& values) const {
  return product_with(values.data(), rows.weights().data(), values.size()) / kTrue;
}

std::vector<double> ScoreCard::with_targets(const Values& values) const {
  std::vector<double> found;
  for (int output = 0; output < outputs_; ++output)
    found.push_back(
        product_with(values.data(), &weighted_[output * values.size()], values.size()) / kTrue);
  return found;
}

const std::vector<double>& ScoreCard::with_targets(const Statement& statement,
                                                   const Values& values) {
  const auto known = with_targets_.find(statement);
  if (known != with_targets_.end()) return known->second;
  return with_targets_.emplace(statement, with_targets(values)).first->second;
}

ScoreCard::Basis ScoreCard::basis_of(const Statements& rest) {
  std::vector<Values> values{Values(rows.size(), kTrue)};
  for (const auto& each : rest) rows.write_values(each, values.emplace_back());
  const size_t n = values.size();
  std::vector<double> gram(n * n);
  for (size_t at = 0; at < n; ++at)
    for (size_t other = 0; other <= at; ++other)
      gram[at * n + other] = product(values[at], values[other]);
  Cholesky cholesky(std::move(gram), n);
  std::vector<double> coefficients(outputs_ * n);
  for (size_t at = 0; at < n; ++at) {
    const auto own = at ? with_targets(rest[at - 1], values[at]) : with_targets(values[at]);
    for (int output = 0; output < outputs_; ++output) coefficients[output * n + at] = own[output];
  }
  double squares = squares_;
  for (int output = 0; output < outputs_; ++output) {
    double* own = &coefficients[output * n];
    cholesky.forward(own);
    for (size_t at = 0; at < n; ++at) squares -= own[at] * own[at];
    cholesky.backward(own);
  }
  std::vector<double> fitted;
  if (needs_scores()) {
    fitted.resize(outputs_ * rows.size());
    for (int output = 0; output < outputs_; ++output)
      for (size_t at = 0; at < n; ++at)
        add_times(values[at].data(), coefficients[output * n + at] / kTrue,
                  &fitted[output * rows.size()], rows.size());
  }
  return {std::move(values), std::move(cholesky), std::move(coefficients), std::move(fitted),
          squares};
}

void ScoreCard::clip(const Statement& statement, std::vector<double>& points) const {
  if (permits.rises.empty() && permits.pairs.empty() && permits.with_xor && permits.with_and_or)
    return;
  for (int output = 0; output < outputs_; ++output) {
    double& own = points[output];
    if (own != 0.0 && !permits.allows(statement, output, own > 0.0 ? 1 : -1)) own = 0.0;
  }
}

// Shape: (options and cuts,).
std::vector<ScoreCard::Trial> ScoreCard::trials(const Basis& basis, const Statements& options,
                                                const std::vector<Scan>& scans) {
  const size_t n = basis.size();
  std::vector<Trial> found;
  // From sums over rows with targets and with the basis, and of its own square.
  const auto add = [&](const Statement& statement, std::vector<double> slopes,
                       std::vector<double> along, double own) {
    for (int output = 0; output < outputs_; ++output)
      for (size_t at = 0; at < n; ++at)
        slopes[output] -= along[at] * basis.coefficients[output * n + at];
    basis.cholesky.forward(along.data());
    for (const double each : along) own -= each * each;
    basis.cholesky.backward(along.data());
    const double length = std::max(own, 0.0) + kRidge;
    Trial trial{{}, std::move(along), basis.squares};
    for (const double slope : slopes) trial.points.push_back(slope / length);
    clip(statement, trial.points);
    for (int output = 0; output < outputs_; ++output) {
      const double points = trial.points[output];
      trial.squares += points * points * length - 2 * points * slopes[output];
    }
    found.push_back(std::move(trial));
  };
  Values values;
  for (const auto& each : options) {
    rows.write_values(each, values);
    std::vector<double> along;
    for (const auto& other : basis.values) along.push_back(product(values, other));
    add(each, with_targets(each, values), std::move(along), product(values, values));
  }
  // Rows of a higher rank than a cut lie above it.
  const auto& weights = rows.weights();
  for (const auto& scan : scans) {
    const size_t cuts = scan.size(), width = outputs_ + n + 1;
    std::vector<double> bins((cuts + 1) * width), sums(width);
    for (size_t row = 0; row < rows.size(); ++row) {
      const double above = scan.above[row] / 2.0, below = scan.below[row] / 2.0;
      double* bin = &bins[scan.column->ranks[row] * width];
      const auto put = [&](size_t at, double high, double low) {
        bin[at] += high - low, sums[at] += low;
      };
      if (above == 0.0 && below == 0.0) continue;
      for (int output = 0; output < outputs_; ++output) {
        const double own = weighted_[output * rows.size() + row];
        put(output, above * own, below * own);
      }
      for (size_t at = 0; at < n; ++at) {
        const double own = basis.values[at][row] / 2.0 * weights[row];
        put(outputs_ + at, above * own, below * own);
      }
      put(width - 1, above * above * weights[row], below * below * weights[row]);
    }
    std::vector<double> of_cuts(cuts * width);
    for (size_t cut = cuts; cut-- > 0;)
      for (size_t at = 0; at < width; ++at)
        of_cuts[cut * width + at] = sums[at] += bins[(cut + 1) * width + at];
    for (size_t cut = 0; cut < cuts; ++cut) {
      const double* own = &of_cuts[cut * width];
      add(scan.statement, {own, own + outputs_}, {own + outputs_, own + width - 1},
          own[width - 1]);
    }
  }
  return found;
}

// The scores of the rows with one more statement, output by output.
std::vector<double> ScoreCard::scores(const Basis& basis, const Values& values,
                                      const Trial& trial) const {
  const size_t n = rows.size();
  std::vector<double> left(n), found(basis.fitted);
  add_times(values.data(), 1.0 / kTrue, left.data(), n);
  for (size_t at = 0; at < basis.size(); ++at)
    add_times(basis.values[at].data(), -trial.along[at] / kTrue, left.data(), n);
  for (int output = 0; output < outputs_; ++output)
    for (size_t row = 0; row < n; ++row)
      found[output * n + row] += trial.points[output] * left[row];
  return found;
}

std::vector<double> ScoreCard::losses(const Statements& rest, const Statements& options,
                                      const std::vector<Scan>& scans,
                                      const std::vector<std::vector<double>>& needed, double) {
  const Basis basis = basis_of(rest);
  const auto penalties = this->penalties(rest, options, scans, needed);
  const auto trials = this->trials(basis, options, scans);
  std::vector<std::pair<double, size_t>> order;
  for (size_t at = 0; at < trials.size(); ++at)
    order.emplace_back(rounded(trials[at].squares + penalties[at] / 2), at);
  const size_t exact = std::min(kExact, order.size());
  std::partial_sort(order.begin(), order.begin() + exact, order.end());
  order.resize(exact);
  std::vector<double> found(trials.size(), INFINITY), scores;
  Values values;
  for (const auto& [_, at] : order) {
    if (std::isinf(penalties[at])) continue;
    if (needs_scores()) {
      if (at < options.size()) {
        rows.write_values(options[at], values);
      } else {
        size_t cut = at - options.size();
        auto scan = scans.begin();
        while (cut >= scan->size()) cut -= (scan++)->size();
        values.resize(rows.size());
        for (size_t row = 0; row < values.size(); ++row) {
          const bool is_above = scan->column->ranks[row] > static_cast<std::int32_t>(cut);
          values[row] = is_above ? scan->above[row] : scan->below[row];
        }
      }
      scores = this->scores(basis, values, trials[at]);
    }
    found[at] = loss_of(trials[at].squares, scores) + penalties[at];
  }
  return found;
}

std::vector<double> ScoreCard::fit(const Statements& statements) {
  const size_t n = statements.size(), size = rows.size();
  std::vector<Values> values(n);
  std::vector<double> sums, gram(n * n), found(outputs_ * size);
  for (size_t at = 0; at < n; ++at) {
    rows.write_values(statements[at], values[at]);
    sums.push_back(sum(values[at]));
    for (size_t other = 0; other <= at; ++other)
      gram[at * n + other] = product(values[at], values[other]) - sums[at] * sums[other] / total_;
    gram[at * n + at] += kRidge;
  }
  const Cholesky cholesky(std::move(gram), n);
  std::vector<std::vector<double>> with_targets;
  for (size_t at = 0; at < n; ++at)
    with_targets.push_back(this->with_targets(statements[at], values[at]));
  for (int output = 0; output < outputs_; ++output) {
    const double* own = &weighted_[output * size];
    const double mean = sum_in_lanes(size, [&](size_t row) { return own[row]; }) / total_;
    std::vector<double> points;
    for (size_t at = 0; at < n; ++at) points.push_back(with_targets[at][output] - sums[at] * mean);
    cholesky.forward(points.data());
    cholesky.backward(points.data());
    double base = mean;
    for (size_t at = 0; at < n; ++at) base -= sums[at] / total_ * points[at];
    double* scores = &found[output * size];
    std::fill(scores, scores + size, base);
    for (size_t at = 0; at < n; ++at)
      add_times(values[at].data(), points[at] / kTrue, scores, size);
  }
  return found;
}

double ScoreCard::loss(const Statements& statements) {
  const auto scores = fit(statements);
  const auto& weights = rows.weights();
  double squares = 0.0;
  for (size_t at = 0; at < scores.size(); ++at) {
    const double error = scores[at] - targets_[at];
    squares += weights[at % rows.size()] * error * error;
  }
  return loss_of(squares, scores) + penalty(statements);
}

Slope ScoreCard::slope(const Statements& statements) {
  const auto scores = fit(statements);
  const size_t n = rows.size(), width = outputs_ + 1;
  Slope slope{outputs_, std::vector<double>(n * width), NAN};
  for (size_t row = 0; row < n; ++row) {
    const double weight = rows.weights()[row];
    for (int output = 0; output < outputs_; ++output)
      slope.by_row[row * width + output] =
          weight * (scores[output * n + row] - targets_[output * n + row]);
    slope.by_row[row * width + outputs_] = weight;
  }
  return slope;
}

double ClassCard::loss_of(double squares, const std::vector<double>& scores) const {
  const double errors =
      wrong(scores.data(), target(0), rows.weights().data(), outputs_, rows.size());
  return 2 * squares + kErrorCost * errors;
}

NumberCard::NumberCard(Rows& rows, const Permits& permits, std::vector<double> targets,
                       double noise)
    : ScoreCard(rows, permits, 1, std::move(targets)), noise_(noise) {
  for (const double weight : rows.weights()) total_ += weight;
}

double NumberCard::loss_of(double squares, const std::vector<double>&) const {
  return total_ / 2 * std::log(std::max(squares, 0.0) / total_ + noise_);
}

}  // namespace kernels
