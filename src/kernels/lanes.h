// Sums of many numbers in eight lanes, whose sums are added at the end.
//
// A processor adds several lanes at once. The order of additions is that of the program, so the
// result is the same on all of them.
#pragma once

#include <cstddef>

namespace kernels {

constexpr size_t kLanes = 8;

// The sum of `term(row)` over all rows.
template <typename Term>
inline double sum_in_lanes(size_t n, Term term) {
  double lanes[kLanes] = {};
  size_t row = 0;
  for (; row + kLanes <= n; row += kLanes)
    for (size_t lane = 0; lane < kLanes; ++lane) lanes[lane] += term(row + lane);
  double total = 0.0;
  for (; row < n; ++row) total += term(row);
  for (const double lane : lanes) total += lane;
  return total;
}

}  // namespace kernels
