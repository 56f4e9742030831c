// Screen: how a loss changes with the rows that screen statements, and which gains are greatest.
#pragma once

#include <vector>

#include "rows.h"

namespace kernels {

// How a loss changes with the scores of the screened rows. `by_row` has, row by row, the gradients
// of the outputs and then the curvature, which is the same for all of them. `unit` is by how much a
// score rises where a statement holds; NaN if that is not known. The curvatures of squared errors
// are the weights of the rows, and the gradients of several outputs add up to 0.
struct Slope {
  int outputs;
  std::vector<double> by_row;
  double unit;
  bool squared = false;

  int width() const { return outputs + 1; }
};

using Sums = std::vector<double>;
using Places = std::vector<size_t>;

constexpr double kTiny = 1e-9;

// The slopes of the screened rows, and their sum.
class Screen {
 public:
  explicit Screen(const Slope& slope);

  int outputs() const { return outputs_; }
  int width() const { return width_; }
  double unit() const { return slope_.unit; }
  bool squared() const { return slope_.squared; }
  size_t rows() const { return slope_.by_row.size() / width_; }
  const double* of_row(size_t row) const { return &slope_.by_row[row * width_]; }
  const Sums& total() const { return total_; }

  // By how much the loss would fall, from sums over the rows that a statement holds for.
  double gain(const double* sums) const;

 private:
  const Slope& slope_;
  int outputs_, width_;
  Sums total_;
};

// The places of the greatest gains, the greatest first; of equal ones the first. Gains of minus
// infinity are left out.
Places greatest(const std::vector<double>& gains, size_t count, size_t from, size_t to);
inline Places greatest(const std::vector<double>& gains, size_t count) {
  return greatest(gains, count, 0, gains.size());
}

// Sums of a column's bins as sums of its literals: those of all higher bins, and half of what is
// missing. `bins` and `out` lie `stride` and `step` numbers apart.
void add_up(const double* bins, size_t stride, double* out, size_t step, size_t count,
            size_t width);

// Sums over the rows that each literal holds for, from what each row adds.
// Shape: (rows, width) to (literals, width).
Sums sums_of_literals(const Rows& rows, const double* by_row, size_t width);

}  // namespace kernels
