// Tables of counts: how much of either of two classes has how many statements that hold.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace kernels {

// What a wrong class counts, in the loss of one row, beside the log loss.
constexpr double kErrorCost = 2.0;

double expit(double logit);

// x * log(x), and 0 for what is not above 0. Exact to some 1e-14 of log(x): enough for bounds.
void write_x_log_x(const double* x, size_t n, double* out);

// How much of the positive class has each count, and how much of both.
struct CountTable {
  std::vector<double> positive, total;

  explicit CountTable(size_t size = 0) : positive(size), total(size) {}

  size_t size() const { return total.size(); }
  // No more is negative than there is.
  double negative(size_t at) const;

  // What the loss is at least: no probabilities of counts are better than their shares.
  double bound() const;
  // Expected errors, at the best count from which the positive class is decided for.
  double errors() const;
  // The log loss of the best logits, and what wrong classes cost. Infinite if fewer statements
  // had to hold for the better.
  double loss() const;
  // Logistic regression on the counts, by Newton's method: the scale and the bias.
  std::array<double, 2> fit() const;
};

// A table whose rows move from count to count, and the bound of its loss. Only what has changed is
// computed again.
class MovingTable {
 public:
  explicit MovingTable(const CountTable& table);

  // Add to how much of the positive class, and of both, has a count.
  void change(size_t count, double positive, double total) {
    sums_[2 * count] += positive, sums_[2 * count + 1] += total;
    if (!has_changed_[count]) changed_.push_back(count);
    has_changed_[count] = true;
  }
  double bound();
  const CountTable& table() const { return table_; }

 private:
  CountTable table_;
  std::vector<double> sums_;       // of each count, as they are: rounding may leave less than 0
  std::vector<double> entropies_;  // of each count
  std::vector<std::uint8_t> has_changed_;
  std::vector<size_t> changed_;
  std::vector<double> numbers_;  // and their logarithms
};

}  // namespace kernels
