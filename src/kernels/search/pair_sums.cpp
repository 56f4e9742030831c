#include "pair_sums.h"

#include <algorithm>
#include <numeric>

#include "arrays.h"

namespace kernels {

namespace {

// What rows add to pairs of bins of two columns.
template <size_t kWidth>
FOR_ALL_PROCESSORS void add_to_bins(const std::uint8_t* one, const std::uint8_t* other,
                                    size_t other_bins, const double* by_row, size_t rows,
                                    double* bins) {
  for (size_t row = 0; row < rows; ++row) {
    double* bin = &bins[(one[row] * other_bins + other[row]) * kWidth];
    const double* own = &by_row[row * kWidth];
    for (size_t at = 0; at < kWidth; ++at) bin[at] += own[at];
  }
}

void add_to_bins(const std::uint8_t* one, const std::uint8_t* other, size_t other_bins,
                 const double* by_row, size_t rows, double* bins, size_t width) {
  switch (width) {
    case 1: return add_to_bins<1>(one, other, other_bins, by_row, rows, bins);
    case 2: return add_to_bins<2>(one, other, other_bins, by_row, rows, bins);
    case 3: return add_to_bins<3>(one, other, other_bins, by_row, rows, bins);
    case 4: return add_to_bins<4>(one, other, other_bins, by_row, rows, bins);
    case 9: return add_to_bins<9>(one, other, other_bins, by_row, rows, bins);
    default:
      for (size_t row = 0; row < rows; ++row) {
        double* bin = &bins[(one[row] * other_bins + other[row]) * width];
        for (size_t at = 0; at < width; ++at) bin[at] += by_row[row * width + at];
      }
  }
}

// Sums of bins become sums of literals, which hold for all higher bins and for half of what is
// missing, in the last bin. A literal's sums take the place of the bin above it.
// Shape: (first + 2, second + 2, width).
FOR_ALL_PROCESSORS
void add_up_both(double* bins, size_t first, size_t second, size_t width) {
  const size_t wide = (second + 2) * width;
  for (size_t bin = first; bin > 0; --bin) {
    double* own = bins + bin * wide;
    const double share = bin == first ? 0.5 : 1.0;
    for (size_t at = 0; at < wide; ++at) own[at] += share * own[wide + at];
  }
  for (size_t bin = second; bin > 0; --bin) {
    const double share = bin == second ? 0.5 : 1.0;
    for (size_t of_first = 1; of_first <= first; ++of_first) {
      double* own = bins + of_first * wide + bin * width;
      for (size_t at = 0; at < width; ++at) own[at] += share * own[width + at];
    }
  }
}

}  // namespace

Sums sums_of_pairs(const Rows& rows, const double* by_row, size_t width,
                   const Places& partners) {
  const size_t n = rows.coarse().size(), none = n, size = partners.size() * n;
  Places place(n, none);
  for (size_t at = 0; at < partners.size(); ++at) place[partners[at]] = at;
  Sums found(width * size), bins;
  const auto& columns = rows.coarse_columns();
  const auto has_partner = [&](const Rows::Coarse& column) {
    return std::any_of(&place[column.first], &place[column.first] + column.count,
                       [&](size_t each) { return each != none; });
  };
  for (size_t one = 0; one < columns.size(); ++one) {
    const auto& first = columns[one];
    for (size_t other = one; other < columns.size(); ++other) {
      const auto& second = columns[other];
      if (!has_partner(first) && !has_partner(second)) continue;
      const size_t k = first.count, m = second.count;
      bins.assign((k + 2) * (m + 2) * width, 0.0);
      add_to_bins(first.bins.data(), second.bins.data(), m + 2, by_row, rows.screened().size(),
                  bins.data(), width);
      add_up_both(bins.data(), k, m, width);
      const auto copy = [&](size_t partner, const double* own, size_t step, size_t from,
                            size_t count) {
        double* out = &found[partner * n + from];
        for (size_t at = 0; at < width; ++at)
          for (size_t each = 0; each < count; ++each)
            out[at * size + each] = own[each * step * width + at];
      };
      for (size_t a = 0; a < k; ++a)
        if (place[first.first + a] != none)
          copy(place[first.first + a], &bins[((a + 1) * (m + 2) + 1) * width], 1, second.first, m);
      for (size_t b = 0; b < m; ++b)
        if (place[second.first + b] != none)
          copy(place[second.first + b], &bins[(m + 2 + b + 1) * width], m + 2, first.first, k);
    }
  }
  return found;
}

FOR_ALL_PROCESSORS
void write_factors(double total, double one, const double* others, const double* both, size_t n,
                   double* out, size_t step) {
  const double least = std::max(total, kTiny);
  for (size_t at = 0; at < n; ++at) {
    const double kinds[kKinds] = {both[at], one - both[at], others[at] - both[at],
                                  total - one - others[at] + both[at],
                                  one + others[at] - 2 * both[at]};
    for (int kind = 0; kind < kKinds; ++kind) {
      const double share = kinds[kind] / least, spread = total * share * (1 - share);
      out[kind * step + at] = 0.5 / (spread > kTiny ? spread : kTiny);
    }
  }
}

PairWeights weigh_pairs(const Rows& rows) {
  const size_t n = rows.coarse().size();
  Sums weights;
  double total = 0.0;
  for (const auto row : rows.screened()) {
    weights.push_back(rows.weights()[row]);
    total += weights.back();
  }
  Places all(n);
  std::iota(all.begin(), all.end(), size_t{0});
  const Sums singles = sums_of_literals(rows, weights.data(), 1);
  PairWeights found{sums_of_pairs(rows, weights.data(), 1, all), Sums(kKinds * n * n)};
  for (size_t one = 0; one < n; ++one)
    write_factors(total, singles[one], singles.data(), &found.shares[one * n], n,
                  &found.factors[one * n], n * n);
  for (double& each : found.shares) each /= std::max(total, kTiny);
  return found;
}

}  // namespace kernels
