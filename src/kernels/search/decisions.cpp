#include "decisions.h"

#include <algorithm>
#include <cmath>

#include "arrays.h"

namespace kernels {

namespace {

// Scores that differ by less may be equal: their last digits come from rounding.
constexpr double kRounding = 1e-9;
constexpr size_t kBlock = 64;

// The target of the greatest score of each row, and by how much it is greater than the second
// one. Shape: (rows, wide) to (rows,).
FOR_ALL_PROCESSORS
void decide(const double* scores, const double* targets, size_t outputs, size_t wide, size_t n,
            double* margins, double* right) {
  for (size_t from = 0; from < n; from += kBlock) {
    const size_t count = std::min(kBlock, n - from);
    double best[kBlock], second[kBlock], its[kBlock];
    for (size_t row = 0; row < count; ++row) {
      best[row] = scores[(from + row) * wide], second[row] = -INFINITY;
      its[row] = targets[(from + row) * wide];
    }
    for (size_t output = 1; output < outputs; ++output)
      for (size_t row = 0; row < count; ++row) {
        const double own = scores[(from + row) * wide + output];
        const double target = targets[(from + row) * wide + output];
        const bool is_greater = own > best[row];
        const double lesser = is_greater ? best[row] : own;
        second[row] = lesser > second[row] ? lesser : second[row];
        its[row] = is_greater ? target : its[row];
        best[row] = is_greater ? own : best[row];
      }
    for (size_t row = 0; row < count; ++row) {
      margins[from + row] = best[row] - second[row];
      right[from + row] = its[row];
    }
  }
}

// Which rows of a block may be decided otherwise.
FOR_ALL_PROCESSORS
bool write_doubts(const double* times, const double* margins, double range, size_t n,
                  std::uint8_t* doubts) {
  int any = 0;
  for (size_t row = 0; row < n; ++row) {
    const int in_doubt = !(std::abs(times[row]) * range + kRounding < margins[row]);
    doubts[row] = static_cast<std::uint8_t>(in_doubt);
    any |= in_doubt;
  }
  return any;
}

}  // namespace

Decisions::Decisions(const std::vector<double>& scores, const std::vector<double>& targets,
                     const std::vector<double>& weights, size_t outputs)
    : scores_(scores),
      targets_(targets),
      weights_(weights),
      outputs_(outputs),
      wide_(wide_of(outputs)),
      margins_(weights.size()),
      wrong_(weights.size()) {
  decide(scores.data(), targets.data(), outputs, wide_, weights.size(), margins_.data(),
         wrong_.data());
  for (size_t row = 0; row < wrong_.size(); ++row)
    total_ += wrong_[row] = (1 - wrong_[row]) * weights[row];
}

double Decisions::wrong_with(const std::vector<double>& times,
                             const std::vector<double>& points) const {
  const auto [least, most] = std::minmax_element(points.begin(), points.begin() + outputs_);
  const double range = *most - *least;
  double total = total_;
  std::uint8_t doubts[kBlock];
  for (size_t from = 0; from < times.size(); from += kBlock) {
    const size_t count = std::min(kBlock, times.size() - from);
    if (!write_doubts(&times[from], &margins_[from], range, count, doubts)) continue;
    for (size_t row = from; row < from + count; ++row) {
      if (!doubts[row - from]) continue;
      const double* own = &scores_[row * wide_];
      size_t best = 0;
      double greatest = own[0] + points[0] * times[row];
      for (size_t output = 1; output < outputs_; ++output) {
        const double score = own[output] + points[output] * times[row];
        if (score > greatest) greatest = score, best = output;
      }
      total += (1 - targets_[row * wide_ + best]) * weights_[row] - wrong_[row];
    }
  }
  return total;
}

}  // namespace kernels
