// Sums over the rows that two single literals hold for both.
//
// They are made from histograms of pairs of columns: the literals of a column are nested.
#pragma once

#include "screen.h"

namespace kernels {

// Sums of what each row adds, for all pairs of a partner with a literal.
// Shape: `by_row` (rows, width); returns (width, partners, literals).
Sums sums_of_pairs(const Rows& rows, const double* by_row, size_t width, const Places& partners);

// How many kinds of statements two others make: x & y, x & ~y, ~x & y, ~x & ~y and x ^ y. An or
// is the negation of one of them.
constexpr int kKinds = 5, kXor = 4;

// What squared errors need to know of all pairs of literals, whatever the gradients are: which
// share of the weight each pair has, and by which factor squares of sums become gains.
// Shape: `shares` (literals, literals), `factors` (kinds, literals, literals).
struct PairWeights {
  Sums shares, factors;
};

// None are computed of very many literals.
constexpr size_t kMostWeighed = 512;

PairWeights weigh_pairs(const Rows& rows);

// By which factors squares become gains, from the weights of a statement, of others, and of both.
// Shape: (others,) each; returns (kinds, others), `step` numbers apart.
void write_factors(double total, double one, const double* others, const double* both, size_t n,
                   double* out, size_t step);

}  // namespace kernels
