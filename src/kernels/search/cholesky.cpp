#include "cholesky.h"

#include <cmath>
#include <utility>

#include "arrays.h"

namespace kernels {

namespace {

// A column of which others leave no more than this share says nothing of its own.
constexpr double kDependent = 1e-9;

FOR_ALL_PROCESSORS
void subtract(double factor, const double* other, double* own, size_t count) {
  for (size_t each = 0; each < count; ++each) own[each] -= factor * other[each];
}

FOR_ALL_PROCESSORS
void decompose(double* upper, size_t n) {
  for (size_t at = 0; at < n; ++at) {
    double* own = upper + at * n;
    const double whole = own[at];
    for (size_t k = 0; k < at; ++k) {
      const double *other = upper + k * n, factor = other[at];
      for (size_t column = at; column < n; ++column) own[column] -= factor * other[column];
    }
    const double root = own[at] > kDependent * whole ? std::sqrt(own[at]) : 0.0;
    for (size_t column = at; column < n; ++column)
      own[column] = root > 0.0 ? own[column] / root : 0.0;
  }
}

FOR_ALL_PROCESSORS
void solve(const double* upper, size_t n, double* b, size_t count) {
  for (size_t at = 0; at < n; ++at) {
    double* own = b + at * count;
    for (size_t k = 0; k < at; ++k) {
      const double factor = upper[k * n + at], *other = b + k * count;
      for (size_t each = 0; each < count; ++each) own[each] -= factor * other[each];
    }
    const double diagonal = upper[at * n + at], factor = diagonal > 0.0 ? 1.0 / diagonal : 0.0;
    for (size_t each = 0; each < count; ++each) own[each] *= factor;
  }
}

}  // namespace

Cholesky::Cholesky(std::vector<double> matrix, size_t n) : n_(n), upper_(std::move(matrix)) {
  decompose(upper_.data(), n);
}

void Cholesky::forward(double* b, size_t count) const { solve(upper_.data(), n_, b, count); }

void Cholesky::backward(double* b, size_t count) const {
  for (size_t at = n_; at-- > 0;) {
    double* own = b + at * count;
    const double* row = &upper_[at * n_];
    for (size_t k = at + 1; k < n_; ++k) subtract(row[k], b + k * count, own, count);
    const double factor = row[at] > 0.0 ? 1.0 / row[at] : 0.0;
    for (size_t each = 0; each < count; ++each) own[each] *= factor;
  }
}

}  // namespace kernels
