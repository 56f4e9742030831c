#include "score_card.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "arrays.h"
#include "cholesky.h"
#include "lanes.h"
#include "linear_scores.h"

namespace kernels {

namespace {

// What a wrong class counts beside twice its squared error, in the loss of one row.
constexpr double kErrorCost = 1.0;
// How many rows the prior weighs that points are 0: some statements are nearly the same.
constexpr double kRidge = 1.0;
// Of so many options, those of least squared error, the wrong classes are counted.
constexpr size_t kExact = 8;

FOR_ALL_PROCESSORS
double product_with(const Halves* values, const double* numbers, size_t n) {
  return sum_in_lanes(n, [&](size_t row) { return values[row] * numbers[row]; });
}

FOR_ALL_PROCESSORS
void add_times(const Halves* values, double factor, double* out, size_t n) {
  for (size_t row = 0; row < n; ++row) out[row] += factor * values[row];
}

// Sums over some rows of so many numbers a row, of which each row has `wide`.
template <size_t kCount>
void sum_rows(const Words& words, const double* by_row, size_t wide, double* out) {
  double sums[kCount] = {};
  for_each_row(words, [&](size_t row) {
    for (size_t at = 0; at < kCount; ++at) sums[at] += by_row[row * wide + at];
  });
  std::copy_n(sums, kCount, out);
}

// What is left of the squares and of the slopes of trials beside a basis, trials side by side.
// `along` and `of_basis` are orthonormal coordinates of the trials and of the targets.
FOR_ALL_PROCESSORS
void leave_rest(const double* along, const double* of_basis, size_t n, size_t outputs,
                size_t count, double* own, double* slopes) {
  for (size_t at = 0; at < n; ++at, along += count, of_basis += outputs) {
    for (size_t trial = 0; trial < count; ++trial) own[trial] -= along[trial] * along[trial];
    for (size_t output = 0; output < outputs; ++output) {
      double* slope = slopes + output * count;
      const double factor = of_basis[output];
      for (size_t trial = 0; trial < count; ++trial) slope[trial] -= factor * along[trial];
    }
  }
}

}  // namespace

// What is known of some statements and a constant, the first of them. `targets` are orthonormal
// coordinates of the targets, (statements, outputs), and `squares` are left. Once they are needed,
// `fitted` are the scores of least squares, (rows, wide), and `decisions` what they decide.
struct ScoreCard::Basis {
  Members members;
  BitMatrix bits;
  Cholesky cholesky;
  std::vector<double> targets;
  double squares;
  std::unique_ptr<RowPatterns> patterns = {};
  std::vector<double> fitted = {};
  std::unique_ptr<Decisions> decisions = {};
  Values by_row = {};  // what members count, (rows, members), once many cuts are scanned

  size_t size() const { return members.size(); }
};

// Many statements, each as one more beside a basis, side by side. `along` are their coordinates
// in the basis, (basis, trials). `points` are those of least squares, (outputs, trials), and
// `squares` are left.
struct ScoreCard::Trials {
  size_t count;
  std::vector<double> along, points, own, squares;
};

ScoreCard::ScoreCard(Rows& rows, const Permits& permits, int outputs,
                     const std::vector<double>& targets)
    : Objective(rows, permits),
      outputs_(outputs),
      wide_(wide_of(outputs)),
      targets_(rows.size() * wide_),
      weighted_(rows.size() * wide_),
      constant_{Bits{all_rows(rows.size()), {}}, {}, std::vector<double>(outputs), 1} {
  const auto& weights = rows.weights();
  for (const double weight : weights) total_ += weight, uniform_ = uniform_ && weight == 1.0;
  for (int output = 0; output < outputs; ++output)
    for (size_t row = 0; row < rows.size(); ++row) {
      const double target = targets[output * rows.size() + row], weighted = target * weights[row];
      targets_[row * wide_ + output] = target;
      weighted_[row * wide_ + output] = weighted;
      squares_ += weighted * target;
      constant_.with_targets[output] += weighted;
    }
  if (!uniform_) write_values(constant_.bits, rows.size(), constant_.values);
}

const ScoreCard::Known& ScoreCard::known(const Statement& statement) {
  const auto found = known_.find(statement);
  if (found != known_.end()) return found->second;
  Known known{rows.bits(statement), {}, {}, known_.size() + 2};
  known.with_targets = with_targets(known.bits);
  if (!uniform_) write_values(known.bits, rows.size(), known.values);
  return known_.emplace(statement, std::move(known)).first->second;
}

ScoreCard::Members ScoreCard::members(const Statements& statements) {
  Members found{&constant_};
  for (const auto& each : statements) found.push_back(&known(each));
  return found;
}

void ScoreCard::write_products(const Known& one, const Members& members, const BitMatrix& bits,
                               double* out, size_t step) {
  if (!uniform_) return write_weighted_products(one, members, out, step);
  bits.products_with(one.bits, out, step);
  for (size_t at = 0; at < bits.size(); ++at) out[at * step] /= 4.0;
}

void ScoreCard::write_weighted_products(const Known& one, const Members& members, double* out,
                                        size_t step) {
  std::vector<double> weighted;
  const auto product = [&](const Known& other) {
    if (weighted.empty()) {
      weighted = rows.weights();
      for (size_t row = 0; row < weighted.size(); ++row) weighted[row] *= one.values[row];
    }
    return product_with(other.values.data(), weighted.data(), weighted.size()) / 4.0;
  };
  for (size_t at = 0; at < members.size(); ++at) {
    const Known& other = *members[at];
    if (!one.number) {
      out[at * step] = product(other);
      continue;
    }
    const auto [least, most] = std::minmax(one.number, other.number);
    const auto key = most << 32 | least;
    const auto known = products_.find(key);
    out[at * step] = known != products_.end() ? known->second
                                              : products_.emplace(key, product(other)).first->second;
  }
}

// Shape: (members, members).
std::vector<double> ScoreCard::gram_of(const Members& members, const BitMatrix& bits) {
  const size_t n = members.size();
  std::vector<double> gram(n * n);
  for (size_t at = 0; at < n; ++at) write_products(*members[at], members, bits, &gram[at * n], 1);
  return gram;
}

double ScoreCard::square_of(const Bits& bits) const {
  if (uniform_)
    return static_cast<double>(count_of(bits.holds)) +
           static_cast<double>(count_of(bits.unknown)) / 4.0;
  double total = 0.0;
  for_each_row(bits.holds, [&](size_t row) { total += rows.weights()[row]; });
  for_each_row(bits.unknown, [&](size_t row) { total += rows.weights()[row] / 4.0; });
  return total;
}

std::vector<double> ScoreCard::with_targets(const Bits& bits) const {
  std::vector<double> found(wide_), sums(wide_);
  const auto sum = [&](const Words& words) {
    if (wide_ == 1) sum_rows<1>(words, weighted_.data(), wide_, sums.data());
    for (size_t at = 0; at + kWide <= wide_; at += kWide)
      sum_rows<kWide>(words, &weighted_[at], wide_, &sums[at]);
  };
  sum(bits.holds);
  found = sums;
  if (!bits.unknown.empty()) {
    sum(bits.unknown);
    for (size_t at = 0; at < wide_; ++at) found[at] += sums[at] / 2;
  }
  found.resize(outputs_);
  return found;
}

ScoreCard::Basis ScoreCard::basis_of(const Statements& rest) {
  Members members = this->members(rest);
  BitMatrix bits(rows.size());
  for (const auto* each : members) bits.append(each->bits);
  const size_t n = members.size();
  Cholesky cholesky(gram_of(members, bits), n);
  std::vector<double> targets;
  for (const auto* each : members)
    targets.insert(targets.end(), each->with_targets.begin(), each->with_targets.end());
  cholesky.forward(targets.data(), outputs_);
  double squares = squares_;
  for (const double each : targets) squares -= each * each;
  return {std::move(members), std::move(bits), std::move(cholesky), std::move(targets), squares};
}

bool ScoreCard::is_limited() const {
  return !(permits.rises.empty() && permits.pairs.empty() && permits.with_xor &&
           permits.with_and_or);
}

void ScoreCard::clip(const Statement& statement, size_t trial, Trials& trials) const {
  for (int output = 0; output < outputs_; ++output) {
    double& own = trials.points[output * trials.count + trial];
    if (own != 0.0 && !permits.allows(statement, output, own > 0.0 ? 1 : -1)) own = 0.0;
  }
}

// Each option, then each cut of the scans.
ScoreCard::Trials ScoreCard::trials_of(Basis& basis, const Statements& options,
                                       const std::vector<Scan>& scans) {
  const size_t n = basis.size();
  size_t count = options.size();
  for (const auto& scan : scans) count += scan.size();
  Trials trials{count, std::vector<double>(n * count), std::vector<double>(outputs_ * count),
                std::vector<double>(count), std::vector<double>(count, basis.squares)};
  size_t first = 0;
  for (const auto& each : options) {
    const Known& own = known(each);
    write_products(own, basis.members, basis.bits, &trials.along[first], count);
    for (int output = 0; output < outputs_; ++output)
      trials.points[output * count + first] = own.with_targets[output];
    trials.own[first++] = square_of(own.bits);
  }
  for (const auto& scan : scans) {
    write_targets_of_cuts(scan, &trials.points[first], count);
    if (uniform_ && !scan.column->above.empty()) write_few_cuts(basis, scan, first, trials);
    else write_many_cuts(basis, scan, first, trials);
    first += scan.size();
  }
  // So far, `points` were the products with the targets.
  basis.cholesky.forward(trials.along.data(), count);
  leave_rest(trials.along.data(), basis.targets.data(), n, outputs_, count, trials.own.data(),
             trials.points.data());
  std::vector<double> slopes(trials.points);
  for (int output = 0; output < outputs_; ++output)
    for (size_t at = 0; at < count; ++at)
      trials.points[output * count + at] /= std::max(trials.own[at], 0.0) + kRidge;
  if (is_limited()) {
    for (size_t at = 0; at < options.size(); ++at) clip(options[at], at, trials);
    first = options.size();
    for (const auto& scan : scans)
      for (size_t cut = 0; cut < scan.size(); ++cut) clip(scan.statement, first++, trials);
  }
  for (int output = 0; output < outputs_; ++output)
    for (size_t at = 0; at < count; ++at) {
      const double points = trials.points[output * count + at];
      const double length = std::max(trials.own[at], 0.0) + kRidge;
      trials.squares[at] += points * points * length - 2 * points * slopes[output * count + at];
    }
  return trials;
}

// Sums over rows of what each cut counts times the targets, output by output. Rows of a higher
// rank than a cut lie above it.
void ScoreCard::write_targets_of_cuts(const Scan& scan, double* out, size_t step) const {
  const size_t cuts = scan.size(), outputs = outputs_;
  std::vector<double> bins((cuts + 1) * outputs), sums = with_targets(scan.below);
  for_each_row(differing(scan.above, scan.below), [&](size_t row) {
    const double more = (value_of(scan.above, row) - value_of(scan.below, row)) / 2.0;
    double* bin = &bins[scan.column->ranks[row] * outputs];
    for (size_t output = 0; output < outputs; ++output)
      bin[output] += more * weighted_[row * wide_ + output];
  });
  for (size_t cut = cuts; cut-- > 0;)
    for (size_t output = 0; output < outputs; ++output)
      out[output * step + cut] = sums[output] += bins[(cut + 1) * outputs + output];
}

void ScoreCard::write_few_cuts(const Basis& basis, const Scan& scan, size_t first,
                               Trials& trials) {
  for (size_t cut = 0; cut < scan.size(); ++cut) {
    if (!scan.allowed[cut]) continue;
    const Known own{scan.bits(cut), {}, {}};
    write_products(own, basis.members, basis.bits, &trials.along[first + cut], trials.count);
    trials.own[first + cut] = square_of(own.bits);
  }
}

void ScoreCard::write_many_cuts(Basis& basis, const Scan& scan, size_t first,
                                Trials& trials) {
  const size_t cuts = scan.size(), n = basis.size(), width = n + 1;
  if (basis.by_row.empty()) {
    basis.by_row.resize(rows.size() * n);
    Values values;
    for (size_t at = 0; at < n; ++at) {
      write_values(basis.members[at]->bits, rows.size(), values);
      for (size_t row = 0; row < rows.size(); ++row) basis.by_row[row * n + at] = values[row];
    }
  }
  std::vector<double> bins((cuts + 1) * width), sums(width);
  Known below{scan.below, {}, {}};
  if (!uniform_) write_values(below.bits, rows.size(), below.values);
  write_products(below, basis.members, basis.bits, sums.data(), 1);
  sums[n] = square_of(scan.below);
  for_each_row(differing(scan.above, scan.below), [&](size_t row) {
    const double high = value_of(scan.above, row) / 2.0, low = value_of(scan.below, row) / 2.0;
    const double more = (high - low) * rows.weights()[row] / kTrue;
    double* bin = &bins[scan.column->ranks[row] * width];
    for (size_t at = 0; at < n; ++at) bin[at] += more * basis.by_row[row * n + at];
    bin[n] += (high * high - low * low) * rows.weights()[row];
  });
  for (size_t cut = cuts; cut-- > 0;) {
    for (size_t at = 0; at < width; ++at) sums[at] += bins[(cut + 1) * width + at];
    for (size_t at = 0; at < n; ++at) trials.along[at * trials.count + first + cut] = sums[at];
    trials.own[first + cut] = sums[n];
  }
}

void ScoreCard::fit(Basis& basis) const {
  const size_t n = basis.size(), outputs = outputs_;
  basis.patterns = std::make_unique<RowPatterns>(rows.size());
  for (size_t at = 1; at < n; ++at) basis.patterns->append(basis.members[at]->bits);
  std::vector<double> coefficients(basis.targets), padded(n * wide_);
  basis.cholesky.backward(coefficients.data(), outputs);
  for (size_t at = 0; at < n; ++at)
    for (size_t output = 0; output < outputs; ++output)
      padded[at * wide_ + output] = coefficients[at * outputs + output];
  basis.fitted = basis.patterns->scores(padded, wide_);
  basis.decisions =
      std::make_unique<Decisions>(basis.fitted, targets_, rows.weights(), outputs);
}

std::vector<double> ScoreCard::left_of(const Basis& basis, const Bits& bits,
                                       const Trials& trials, size_t trial) const {
  std::vector<double> along(basis.size());
  for (size_t at = 0; at < along.size(); ++at)
    along[at] = -trials.along[at * trials.count + trial];
  basis.cholesky.backward(along.data(), 1);
  std::vector<double> left = basis.patterns->scores(along, 1);
  Values values;
  write_values(bits, rows.size(), values);
  add_times(values.data(), 1.0 / kTrue, left.data(), rows.size());
  return left;
}

std::vector<double> ScoreCard::losses(const Statements& rest, const Statements& options,
                                      const std::vector<Scan>& scans,
                                      const std::vector<std::vector<double>>& needed,
                                      double limit) {
  Basis basis = basis_of(rest);
  const auto penalties = this->penalties(rest, options, scans, needed);
  const Trials trials = trials_of(basis, options, scans);
  std::vector<std::pair<double, size_t>> order;
  for (size_t at = 0; at < trials.count; ++at)
    order.emplace_back(rounded(trials.squares[at] + penalties[at] / 2), at);
  const size_t exact = std::min(kExact, order.size());
  std::partial_sort(order.begin(), order.begin() + exact, order.end());
  order.resize(exact);
  std::vector<double> found(trials.count, INFINITY), points(outputs_);
  double least = limit;
  for (const auto& [_, at] : order) {
    const double squares = trials.squares[at];
    if (!(loss_of(squares) + penalties[at] < least + kInDoubt)) continue;
    if (needs_scores()) {
      if (!basis.decisions) fit(basis);
      for (int output = 0; output < outputs_; ++output)
        points[output] = trials.points[output * trials.count + at];
      const auto left = left_of(basis, bits_of(options, scans, at), trials, at);
      found[at] = loss_of(squares, basis.decisions.get(), &left, &points) + penalties[at];
    } else {
      found[at] = loss_of(squares) + penalties[at];
    }
    least = std::min(least, found[at]);
  }
  return found;
}

// Where one of all options and cuts holds.
Bits ScoreCard::bits_of(const Statements& options, const std::vector<Scan>& scans, size_t at) {
  if (at < options.size()) return known(options[at]).bits;
  at -= options.size();
  auto scan = scans.begin();
  while (at >= scan->size()) at -= (scan++)->size();
  return scan->bits(at);
}

std::vector<double> ScoreCard::fit(const Statements& statements) {
  const Members members = this->members(statements);
  const size_t n = statements.size();
  BitMatrix bits(rows.size());
  RowPatterns patterns(rows.size());
  for (const auto* each : members) bits.append(each->bits);
  for (const auto& each : statements) patterns.append(known(each).bits);
  // The first row and column are those of the constant: sums over rows.
  const auto products = gram_of(members, bits);
  std::vector<double> gram(n * n), points(n * outputs_), padded((n + 1) * wide_);
  const auto sum = [&](size_t at) { return products[(at + 1) * (n + 1)]; };
  double* base = padded.data();
  for (int output = 0; output < outputs_; ++output)
    base[output] = constant_.with_targets[output] / total_;
  for (size_t at = 0; at < n; ++at) {
    for (size_t other = 0; other <= at; ++other)
      gram[other * n + at] =
          products[(at + 1) * (n + 1) + other + 1] - sum(at) * sum(other) / total_;
    gram[at * n + at] += kRidge;
    for (int output = 0; output < outputs_; ++output)
      points[at * outputs_ + output] =
          members[at + 1]->with_targets[output] - sum(at) * base[output];
  }
  const Cholesky cholesky(std::move(gram), n);
  cholesky.forward(points.data(), outputs_);
  cholesky.backward(points.data(), outputs_);
  for (size_t at = 0; at < n; ++at)
    for (int output = 0; output < outputs_; ++output) {
      const double own = points[at * outputs_ + output];
      padded[(at + 1) * wide_ + output] = own;
      base[output] -= sum(at) / total_ * own;
    }
  return patterns.scores(padded, wide_);
}

double ScoreCard::loss(const Statements& statements) {
  const auto scores = fit(statements);
  const auto& weights = rows.weights();
  double squares = 0.0;
  for (size_t row = 0; row < rows.size(); ++row)
    for (int output = 0; output < outputs_; ++output) {
      const double error = scores[row * wide_ + output] - target(row, output);
      squares += weights[row] * error * error;
    }
  const double penalty = this->penalty(statements);
  if (!needs_scores()) return loss_of(squares) + penalty;
  const Decisions decisions(scores, targets_, weights, outputs_);
  return loss_of(squares, &decisions) + penalty;
}

Slope ScoreCard::slope(const Statements& statements) {
  const auto scores = fit(statements);
  Slope slope{outputs_, {}, NAN, true};
  slope.by_row.resize(rows.screened().size() * slope.width());
  double* out = slope.by_row.data();
  for (const auto row : rows.screened()) {
    const double weight = rows.weights()[row];
    for (int output = 0; output < outputs_; ++output)
      *out++ = weight * (scores[row * wide_ + output] - target(row, output));
    *out++ = weight;
  }
  return slope;
}

ClassCard::ClassCard(Rows& rows, const Permits& permits, int outputs,
                     const std::vector<double>& targets)
    : ScoreCard(rows, permits, outputs, targets) {
  for (size_t row = 0; row < rows.size(); ++row) {
    double most = 0.0;
    for (int output = 0; output < outputs; ++output) most = std::max(most, target(row, output));
    least_wrong_ += (1 - most) * rows.weights()[row];
  }
}

double ClassCard::loss_of(double squares, const Decisions* scores,
                          const std::vector<double>* times,
                          const std::vector<double>* points) const {
  const double wrong = !scores ? least_wrong_
                       : times ? scores->wrong_with(*times, *points)
                               : scores->wrong();
  return 2 * squares + kErrorCost * wrong;
}

NumberCard::NumberCard(Rows& rows, const Permits& permits, const std::vector<double>& targets,
                       double noise)
    : ScoreCard(rows, permits, 1, targets), noise_(noise) {
  for (const double weight : rows.weights()) total_ += weight;
}

double NumberCard::loss_of(double squares, const Decisions*, const std::vector<double>*,
                           const std::vector<double>*) const {
  return total_ / 2 * std::log(std::max(squares, 0.0) / total_ + noise_);
}

}  // namespace kernels
