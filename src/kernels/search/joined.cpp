#include "joined.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "arrays.h"

namespace kernels {

namespace {

// What one output gains by the best points, with one statement beside all others. The first
// output is written, the next ones are added. Gradients are
// centred; so is that of no statement, which is 0. `shares` are those of the weight of both.
FOR_ALL_PROCESSORS
void add_squares(bool is_first, double total, const double* both, const double* shares, double x,
                 const double* others, const double* factors, size_t factor_step, size_t n,
                 double* gains, size_t step) {
  for (size_t at = 0; at < n; ++at) {
    const double xy = both[at] - total * shares[at], y = others[at];
    const double kinds[kKinds] = {xy, x - xy, y - xy, xy - x - y, x + y - 2 * xy};
    for (int kind = 0; kind < kKinds; ++kind) {
      const double before = is_first ? 0.0 : gains[kind * step + at];
      gains[kind * step + at] =
          before + kinds[kind] * kinds[kind] * factors[kind * factor_step + at];
    }
  }
}

// What one output gains if its score rises by a unit.
FOR_ALL_PROCESSORS
void add_units(bool is_first, double unit, double total, const double* both, double all, const double* both_weigh,
               double x, double x_weighs, const double* others, const double* others_weigh,
               size_t n, double* gains, size_t step) {
  const double least = all > kTiny ? all : kTiny;
  for (size_t at = 0; at < n; ++at) {
    const double w = both_weigh[at], its = others_weigh[at], y = others[at];
    const double xy = both[at] - total * (w / least);
    const double kinds[kKinds] = {xy, x - xy, y - xy, xy - x - y, x + y - 2 * xy};
    const double weights[kKinds] = {w, x_weighs - w, its - w, all - x_weighs - its + w,
                                    x_weighs + its - 2 * w};
    for (int kind = 0; kind < kKinds; ++kind) {
      const double share = weights[kind] / least, spread = all * share * (1 - share);
      const double before = is_first ? 0.0 : gains[kind * step + at];
      gains[kind * step + at] = before + unit * std::abs(kinds[kind]) -
                                unit * unit * (spread > kTiny ? spread : kTiny) / 2;
    }
  }
}

// Gradients less what their total gives to each statement by its share.
Sums centred(const double* sums, const double* weights, size_t n, double total, double all) {
  Sums found(sums, sums + n);
  for (size_t at = 0; at < n; ++at) found[at] -= total * (weights[at] / std::max(all, kTiny));
  return found;
}

}  // namespace

Joined::Joined(const Pool& one, const Pool& other, const Screen& screen, const PoolSums& sums,
               Sums& buffer, const PairWeights* weights, const Places& places)
    : one_(one), other_(other), gains_(buffer) {
  gains_.resize(kKinds * pairs());
  if (std::isnan(screen.unit())) gain_by_squares(screen, sums, weights, places);
  else gain_by_unit(screen, sums);
  forbid_what_is_met_before();
}

void Joined::gain_by_unit(const Screen& screen, const PoolSums& sums) {
  const size_t ones = one_.size(), others = other_.size();
  const auto last = static_cast<size_t>(screen.outputs());
  const double all = screen.total()[last];
  const double *x_weighs = &sums.of_one[last * ones], *y_weighs = &sums.of_other[last * others];
  for (size_t at = 0; at < last; ++at) {
    const double total = screen.total()[at];
    const Sums x = centred(&sums.of_one[at * ones], x_weighs, ones, total, all);
    const Sums y = centred(&sums.of_other[at * others], y_weighs, others, total, all);
    for (size_t each = 0; each < ones; ++each)
      add_units(at == 0, screen.unit(), total, &sums.both[at * pairs() + each * others], all,
                &sums.both[last * pairs() + each * others], x[each], x_weighs[each], y.data(),
                y_weighs, others, &gains_[each * others], pairs());
  }
}

void Joined::gain_by_squares(const Screen& screen, const PoolSums& sums,
                             const PairWeights* weights, const Places& places) {
  const size_t ones = one_.size(), others = other_.size();
  const auto last = static_cast<size_t>(screen.outputs());
  const double all = screen.total()[last];
  const double *x_weighs = &sums.of_one[last * ones], *y_weighs = &sums.of_other[last * others];
  std::vector<Sums> x, y;
  for (size_t at = 0; at < last; ++at) {
    const double total = screen.total()[at];
    x.push_back(centred(&sums.of_one[at * ones], x_weighs, ones, total, all));
    y.push_back(centred(&sums.of_other[at * others], y_weighs, others, total, all));
  }
  Sums own_factors(weights ? 0 : kKinds * others), own_shares(weights ? 0 : others);
  for (size_t each = 0; each < ones; ++each) {
    const double *shares = own_shares.data(), *factors = own_factors.data();
    size_t step = others;
    if (weights) {
      shares = &weights->shares[places[each] * others];
      factors = &weights->factors[places[each] * others], step = others * others;
    } else {
      const double* both = &sums.both[last * pairs() + each * others];
      write_factors(all, x_weighs[each], y_weighs, both, others, own_factors.data(), others);
      for (size_t at = 0; at < others; ++at) own_shares[at] = both[at] / std::max(all, kTiny);
    }
    for (size_t at = 0; at < last; ++at)
      add_squares(at == 0, screen.total()[at], &sums.both[at * pairs() + each * others], shares,
                  x[at][each], y[at].data(), factors, step, others, &gains_[each * others],
                  pairs());
  }
}

void Joined::forbid_what_is_met_before() {
  const auto forbid = [this](size_t x, size_t y) {
    for (int kind = 0; kind < kKinds; ++kind)
      gains_[kind * pairs() + x * other_.size() + y] = -INFINITY;
  };
  const auto is_less = [this](const size_t* one, const size_t* other) {
    return std::lexicographical_compare(one, one + one_.literals, other, other + other_.literals);
  };
  // Which of the second pool are in the first one, too.
  std::vector<const size_t*> known;
  for (size_t x = 0; x < one_.size(); ++x) known.push_back(one_.of(x));
  std::sort(known.begin(), known.end(), is_less);
  Places in_both;
  for (size_t y = 0; y < other_.size(); ++y)
    if (std::binary_search(known.begin(), known.end(), other_.of(y), is_less)) in_both.push_back(y);
  // Which of the second pool have each literal, literal by literal.
  std::vector<std::pair<size_t, size_t>> with_literal;
  for (size_t at = 0; at < other_.members.size(); ++at)
    with_literal.emplace_back(other_.members[at], at / other_.literals);
  std::sort(with_literal.begin(), with_literal.end());
  for (size_t x = 0; x < one_.size(); ++x) {
    for (const size_t y : in_both)
      if (!is_less(one_.of(x), other_.of(y))) forbid(x, y);
    for (size_t at = 0; at < one_.literals; ++at) {
      const size_t literal = one_.of(x)[at];
      auto each = std::lower_bound(with_literal.begin(), with_literal.end(),
                                   std::make_pair(literal, size_t{0}));
      for (; each != with_literal.end() && each->first == literal; ++each) forbid(x, each->second);
    }
  }
}

Statement Joined::statement(size_t flat) const {
  const Statement x = one_.statement(first(flat)), y = other_.statement(second(flat));
  const int kind = this->kind(flat);
  if (kind == kXor) return join('^', x, y);
  return join('&', kind == 2 || kind == 3 ? negation(x) : x,
              kind == 1 || kind == 3 ? negation(y) : y);
}

Statements Joined::best(size_t count) const {
  Statements found;
  for (const size_t flat : greatest(gains_, count)) found.push_back(statement(flat));
  return found;
}

}  // namespace kernels
