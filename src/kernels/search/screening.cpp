#include "screening.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "arrays.h"
#include "joined.h"

namespace kernels {

namespace {

// How many statements are looked at exactly, of each kind.
constexpr size_t kSingles = 16, kPairs = 24;
// With more literals than this, one side of a pair is among the most promising ones.
constexpr size_t kAllPairs = 96, kMostPartners = 64;
// How many products of rows it may cost to join pairs with others, and at least so many pairs.
constexpr double kWork = 3e7;
constexpr size_t kLeastPairs = 64;

Pool singles_of(const Rows& rows) {
  Places members(rows.coarse().size());
  std::iota(members.begin(), members.end(), size_t{0});
  return {[&rows](size_t at) { return single(rows.coarse()[at]); }, {}, 1, std::move(members)};
}

// Some of the single literals.
Pool take(const Pool& singles, const Places& places) {
  return {[&singles, places](size_t at) { return singles.statement(places[at]); }, {}, 1, places};
}

// How much of a row counts for a literal, by its bin and the literal's number in the column.
double share_of_bin(size_t bin, size_t count, size_t number) {
  return bin > count ? 0.5 : bin > number ? 1.0 : 0.0;
}

// Where single literals hold, row by row. Shape: (screened rows, literals).
std::vector<double> holds_of(const Rows& rows, const Places& literals) {
  const size_t n = literals.size();
  std::vector<double> holds(rows.screened().size() * n);
  std::vector<const Rows::Coarse*> column_of(rows.coarse().size());
  for (const auto& each : rows.coarse_columns())
    for (int at = 0; at < each.count; ++at) column_of[each.first + at] = &each;
  for (size_t at = 0; at < n; ++at) {
    const auto& column = *column_of[literals[at]];
    for (size_t row = 0; row < rows.screened().size(); ++row)
      holds[row * n + at] =
          share_of_bin(column.bins[row], column.count, literals[at] - column.first);
  }
  return holds;
}

// Sums over the rows that two statements hold for both, from where they hold.
// Shape: (rows, ones) and (rows, others); returns (width, ones, others).
FOR_ALL_PROCESSORS
void multiply(const double* one, size_t ones, const double* other, size_t others,
              const double* by_row, size_t rows, size_t width, double* out) {
  constexpr size_t kBlock = 16;
  for (size_t at = 0; at < width; ++at)
    for (size_t i = 0; i < ones; ++i)
      for (size_t from = 0; from < others; from += kBlock) {
        const size_t last = std::min(kBlock, others - from);
        double sums[kBlock] = {};
        for (size_t row = 0; row < rows; ++row) {
          const double factor = one[row * ones + i] * by_row[row * width + at];
          if (factor == 0.0) continue;
          const double* own = &other[row * others + from];
          if (last == kBlock)
            for (size_t j = 0; j < kBlock; ++j) sums[j] += factor * own[j];
          else
            for (size_t j = 0; j < last; ++j) sums[j] += factor * own[j];
        }
        for (size_t j = 0; j < last; ++j) out[(at * ones + i) * others + from + j] = sums[j];
      }
}

// Sums over the rows that each statement of a pool holds for. Shape: (width, statements).
Sums sums_of_pool(const Pool& pool, const Screen& screen) {
  const size_t n = pool.size(), width = screen.width();
  Sums found(n * width);
  for (size_t row = 0; row < screen.rows(); ++row)
    for (size_t at = 0; at < n; ++at) {
      const double holds = pool.holds[row * n + at];
      if (holds == 0.0) continue;
      for (size_t sum = 0; sum < width; ++sum)
        found[sum * n + at] += holds * screen.of_row(row)[sum];
    }
  return found;
}

// The literals that one side of a pair is taken from: all of them if there are few. Else those
// that promise most alone, and the middle cut of every column.
Places partners_of(const Rows& rows, const std::vector<double>& gains) {
  Places places;
  if (gains.size() <= kAllPairs) {
    places.resize(gains.size());
    std::iota(places.begin(), places.end(), size_t{0});
    return places;
  }
  places = greatest(gains, kMostPartners);
  size_t middles = 0;
  for (const auto& column : rows.coarse_columns())
    if (middles++ < kMostPartners) places.push_back(column.first + column.count / 2);
  std::sort(places.begin(), places.end());
  places.erase(std::unique(places.begin(), places.end()), places.end());
  return places;
}

// Pairs to join with others: the most promising ones, a third of them exclusive ors.
Pool pairs_of(const Rows& rows, const Joined& joined, const Places& partners, size_t most) {
  const auto& gains = joined.gains();
  const size_t plain = kXor * joined.pairs();
  Places flat = greatest(gains, most - most / 3, 0, plain);
  const Places exclusive = greatest(gains, most / 3, plain, gains.size());
  flat.insert(flat.end(), exclusive.begin(), exclusive.end());
  Pool pool{[&joined, flat](size_t at) { return joined.statement(flat[at]); }, {}, 2, {}};
  Places first, second;
  for (const size_t each : flat) {
    first.push_back(partners[joined.first(each)]), second.push_back(joined.second(each));
    pool.members.push_back(std::min(first.back(), second.back()));
    pool.members.push_back(std::max(first.back(), second.back()));
  }
  const auto x = holds_of(rows, first), y = holds_of(rows, second);
  pool.holds.resize(x.size());
  for (size_t at = 0; at < x.size(); ++at) {
    const int kind = joined.kind(flat[at % flat.size()]);
    const double a = kind == 2 || kind == 3 ? 1 - x[at] : x[at];
    const double b = kind == 1 || kind == 3 || kind == kXor ? 1 - y[at] : y[at];
    pool.holds[at] = a * b + (kind == kXor ? (1 - x[at]) * y[at] : 0.0);
  }
  return pool;
}

Statements join_pools(const Pool& one, const Pool& other, const Screen& screen) {
  PoolSums sums{sums_of_pool(one, screen), sums_of_pool(other, screen),
                Sums(one.size() * other.size() * screen.width())};
  multiply(one.holds.data(), one.size(), other.holds.data(), other.size(), screen.of_row(0),
           screen.rows(), screen.width(), sums.both.data());
  Sums gains;
  return Joined(one, other, screen, sums, gains).best(kPairs);
}

// Sums of single literals, and of all pairs of a partner with a literal. Of squared errors, the
// gradients of several outputs add up to 0, and curvatures are not summed if they are known.
PoolSums sums_of_singles(const Rows& rows, const Screen& screen, const Sums& singles,
                         const Places& partners, bool are_weighed) {
  const size_t n = rows.coarse().size(), width = screen.width();
  const auto outputs = static_cast<size_t>(screen.outputs());
  PoolSums found{Sums(width * partners.size()), Sums(width * n), {}};
  for (size_t sum = 0; sum < width; ++sum) {
    for (size_t at = 0; at < n; ++at) found.of_other[sum * n + at] = singles[at * width + sum];
    for (size_t at = 0; at < partners.size(); ++at)
      found.of_one[sum * partners.size() + at] = singles[partners[at] * width + sum];
  }
  if (!are_weighed) {
    found.both = sums_of_pairs(rows, screen.of_row(0), width, partners);
    return found;
  }
  const size_t summed = outputs > 1 ? outputs - 1 : outputs, size = partners.size() * n;
  Sums by_row(screen.rows() * summed);
  for (size_t row = 0; row < screen.rows(); ++row)
    for (size_t at = 0; at < summed; ++at) by_row[row * summed + at] = screen.of_row(row)[at];
  found.both = sums_of_pairs(rows, by_row.data(), summed, partners);
  if (summed == outputs) return found;
  found.both.resize(outputs * size);
  double* last = &found.both[summed * size];
  for (size_t sum = 0; sum < summed; ++sum)
    for (size_t at = 0; at < size; ++at) last[at] -= found.both[sum * size + at];
  return found;
}

}  // namespace

Statements Screening::promising(const Slope& slope, int size) {
  const Rows& rows = rows_;
  if (rows.coarse().empty()) return {};
  const Screen screen(slope);
  const size_t width = screen.width();
  Pool singles = singles_of(rows);
  const Sums sums = sums_of_literals(rows, screen.of_row(0), width);
  std::vector<double> gains(singles.size());
  for (size_t at = 0; at < gains.size(); ++at) gains[at] = screen.gain(&sums[at * width]);
  if (size == 1) {
    Statements found;
    for (const size_t at : greatest(gains, kSingles)) found.push_back(singles.statement(at));
    return found;
  }
  const Places places = partners_of(rows, gains);
  const Pool partners = take(singles, places);
  const bool are_weighed = screen.squared() && singles.size() <= kMostWeighed;
  if (are_weighed && !weights_) weights_ = std::make_unique<PairWeights>(weigh_pairs(rows));
  const PoolSums of_singles = sums_of_singles(rows, screen, sums, places, are_weighed);
  const Joined joined(partners, singles, screen, of_singles, gains_, weights_.get(), places);
  if (size == 2) return joined.best(kPairs);
  if (greatest(joined.gains(), 1).empty()) return {};
  const double cost = size == 3 ? kWork / static_cast<double>(screen.rows() * singles.size())
                                : std::sqrt(kWork / static_cast<double>(screen.rows()));
  const Pool pairs =
      pairs_of(rows, joined, places, std::max(static_cast<size_t>(cost), kLeastPairs));
  if (size == 4) return join_pools(pairs, pairs, screen);
  Places every(singles.size());
  std::iota(every.begin(), every.end(), size_t{0});
  singles.holds = holds_of(rows, every);
  return join_pools(pairs, singles, screen);
}

}  // namespace kernels
