#include "cholesky.h"

#include <algorithm>
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
void solve(const double* lower, size_t n, double* b, size_t count) {
  for (size_t at = 0; at < n; ++at) {
    double* own = b + at * count;
    for (size_t k = 0; k < at; ++k) {
      const double factor = lower[at * n + k], *other = b + k * count;
      for (size_t each = 0; each < count; ++each) own[each] -= factor * other[each];
    }
    const double diagonal = lower[at * n + at], factor = diagonal > 0.0 ? 1.0 / diagonal : 0.0;
    for (size_t each = 0; each < count; ++each) own[each] *= factor;
  }
}

}  // namespace

Cholesky::Cholesky(std::vector<double> matrix, size_t n) : n_(n), lower_(std::move(matrix)) {
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

void Cholesky::forward(double* b, size_t count) const { solve(lower_.data(), n_, b, count); }

void Cholesky::backward(double* b, size_t count) const {
  for (size_t at = n_; at-- > 0;) {
    double* own = b + at * count;
    for (size_t k = at + 1; k < n_; ++k) subtract(row(k)[at], b + k * count, own, count);
    const double factor = row(at)[at] > 0.0 ? 1.0 / row(at)[at] : 0.0;
    for (size_t each = 0; each < count; ++each) own[each] *= factor;
  }
}

}  // namespace kernels
