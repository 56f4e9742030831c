#include "count_table.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "arrays.h"
#include "statement.h"

namespace kernels {

namespace {

// A weak prior that the scale is 0, so that it is finite where counts part the classes.
constexpr double kRidge = 1e-2;
constexpr int kSteps = 30;
// Newton's steps square what is left: after one of this size, only rounding is.
constexpr double kConverged = 1e-6;
// Bounds of where it starts, for counts that part the classes.
constexpr double kLeastSpread = 0.05, kMostScale = 8.0;

// log(1 + exp(logit))
double softplus(double logit) {
  return std::max(logit, 0.0) + std::log1p(std::exp(-std::abs(logit)));
}

// The counts that rows have, and how much of either class has them.
struct Point {
  double count, positive, total;
};

std::vector<Point> points_of(const CountTable& table) {
  std::vector<Point> points;
  for (size_t at = 0; at < table.size(); ++at) {
    const double total = table.positive[at] + table.negative(at);
    if (total > 0.0) points.push_back({static_cast<double>(at) / kTrue, table.positive[at], total});
  }
  return points;
}

// Scale and bias if the counts of either class were normal, with one spread.
std::array<double, 2> guess(const std::vector<Point>& points, double mean) {
  double own = 0.0, other = 0.0, one = 0.0, two = 0.0, squares = 0.0;
  for (const auto& each : points) {
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

std::array<double, 2> fit_points(const std::vector<Point>& points, size_t size) {
  const double mean = static_cast<double>(size - 1) / kTrue / 2.0;
  auto [scale, bias] = guess(points, mean);
  if (size == 1) return {scale, bias};
  for (int step = 0; step < kSteps; ++step) {
    double by_bias = 0.0, by_scale = kRidge * scale, a = 1e-12, b = 0.0, c = kRidge;
    for (const auto& each : points) {
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

}  // namespace

double expit(double logit) { return 1.0 / (1.0 + std::exp(-logit)); }

// A number is 2^exponent * part, with a part around 1, whose logarithm is a short series in
// (part - 1) / (part + 1). All of it is done to several numbers at once.
FOR_ALL_PROCESSORS
void write_x_log_x(const double* x, size_t n, double* out) {
  constexpr std::uint64_t kPart = 0x000fffffffffffff, kRootOfHalf = 0x3fe6a09e667f3bcd;
  constexpr std::uint64_t kWhole = 0x4330000000000000;  // 2^52: whole numbers are its last bits
  for (size_t at = 0; at < n; ++at) {
    std::uint64_t bits;
    std::memcpy(&bits, &x[at], sizeof bits);
    // The exponent is such that the part is at least the root of a half.
    const std::uint64_t above = bits - kRootOfHalf + (std::uint64_t{1023} << 52);
    const std::uint64_t exponent_bits = kWhole | above >> 52;
    const std::uint64_t part_bits = (above & kPart) + kRootOfHalf;
    double exponent, part;
    std::memcpy(&exponent, &exponent_bits, sizeof exponent);
    std::memcpy(&part, &part_bits, sizeof part);
    exponent -= 4503599627370496.0 + 1023.0;
    const double s = (part - 1.0) / (part + 1.0), z = s * s;
    const double series =
        1.0 + z * (1.0 / 3 + z * (1.0 / 5 + z * (1.0 / 7 + z * (1.0 / 9 + z * (1.0 / 11 +
        z * (1.0 / 13 + z * (1.0 / 15 + z * (1.0 / 17))))))));
    const double log = exponent * 0.6931471805599453 + 2.0 * s * series;
    out[at] = x[at] > 0.0 ? x[at] * log : 0.0;
  }
}

double CountTable::negative(size_t at) const { return std::max(total[at] - positive[at], 0.0); }

double CountTable::errors() const {
  double errors = 0.0;
  for (size_t at = 0; at < size(); ++at) errors += negative(at);
  double least = errors;
  for (size_t at = 0; at < size(); ++at) {
    errors += positive[at] - negative(at);
    least = std::min(least, errors);
  }
  return least;
}

double CountTable::bound() const { return MovingTable(*this).bound(); }

double CountTable::loss() const {
  const auto points = points_of(*this);
  const auto [scale, bias] = fit_points(points, size());
  if (scale < 0.0) return INFINITY;
  double loss = 0.0;
  for (const auto& each : points) {
    const double logit = scale * each.count + bias;
    loss += softplus(logit) * each.total - each.positive * logit;
  }
  return loss + kErrorCost * errors();
}

std::array<double, 2> CountTable::fit() const { return fit_points(points_of(*this), size()); }

MovingTable::MovingTable(const CountTable& table)
    : table_(table), sums_(2 * table.size()), entropies_(table.size()),
      has_changed_(table.size()) {
  for (size_t at = 0; at < table.size(); ++at) change(at, table.positive[at], table.total[at]);
}

double MovingTable::bound() {
  const size_t n = changed_.size();
  numbers_.resize(6 * n);
  for (size_t at = 0; at < n; ++at) {
    const size_t count = changed_[at];
    table_.positive[count] = std::max(sums_[2 * count], 0.0);
    table_.total[count] = std::max(sums_[2 * count + 1], 0.0);
    numbers_[at] = table_.positive[count], numbers_[n + at] = table_.negative(count);
    numbers_[2 * n + at] = numbers_[at] + numbers_[n + at];
  }
  const double* found = numbers_.data() + 3 * n;
  write_x_log_x(numbers_.data(), 3 * n, numbers_.data() + 3 * n);
  for (size_t at = 0; at < n; ++at) {
    entropies_[changed_[at]] = found[2 * n + at] - found[at] - found[n + at];
    has_changed_[changed_[at]] = false;
  }
  changed_.clear();
  double entropy = 0.0;
  for (const double each : entropies_) entropy += each;
  return entropy + kErrorCost * table_.errors();
}

}  // namespace kernels
