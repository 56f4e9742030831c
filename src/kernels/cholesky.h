// The Cholesky decomposition of small symmetric matrices.
#pragma once

#include <cstddef>
#include <vector>

namespace kernels {

// A symmetric matrix as lower * lower', row by row. Columns that others leave nothing of are left
// out: their rows are 0.
class Cholesky {
 public:
  Cholesky(std::vector<double> matrix, size_t n);

  // Solve lower * x = b in place, for many b side by side. Shape: (n, count).
  void forward(double* b, size_t count) const;
  // Solve lower' * x = b in the same way.
  void backward(double* b, size_t count) const;

 private:
  double* row(size_t at) { return &lower_[at * n_]; }
  const double* row(size_t at) const { return &lower_[at * n_]; }

  size_t n_;
  std::vector<double> lower_;
};

}  // namespace kernels
