// The Cholesky decomposition of small symmetric matrices.
#pragma once

#include <cstddef>
#include <vector>

namespace kernels {

// A symmetric matrix as upper' * upper, row by row. Columns that others leave nothing of are left
// out: their rows are 0. The upper half of the matrix is used.
class Cholesky {
 public:
  Cholesky(std::vector<double> matrix, size_t n);

  // Solve upper' * x = b in place, for many b side by side. Shape: (n, count).
  void forward(double* b, size_t count) const;
  // Solve upper * x = b in the same way.
  void backward(double* b, size_t count) const;

 private:
  size_t n_;
  std::vector<double> upper_;
};

}  // namespace kernels
