#include "screening.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <utility>

#include "arrays.h"

namespace kernels {

namespace {

// How many statements are looked at exactly, of each kind.
constexpr size_t kSingles = 16, kPairs = 24, kChanged = 12;
// With more literals than this, one side of a pair is among the most promising ones.
constexpr size_t kAllPairs = 96, kMostPartners = 64;
// How many products of rows it may cost to join pairs with others, and at least so many pairs.
constexpr double kWork = 3e7;
constexpr size_t kLeastPairs = 64;
// Gains are compared with so many digits: the last ones differ with the order of sums.
constexpr double kDigits = 1e9;
constexpr double kTiny = 1e-9;

using Sums = std::vector<double>;  // one after the other, each as wide as the slope
using Places = std::vector<size_t>;

// The slopes of the screened rows, and their sum.
class Screen {
 public:
  Screen(const Rows& rows, const Slope& slope)
      : outputs_(slope.outputs), width_(slope.width()), unit_(slope.unit), total_(width_) {
    for (const auto row : rows.screened()) {
      const double* own = &slope.by_row[row * width_];
      by_row_.insert(by_row_.end(), own, own + width_);
      for (int at = 0; at < width_; ++at) total_[at] += own[at];
    }
  }

  int width() const { return width_; }
  size_t rows() const { return by_row_.size() / width_; }
  const double* of_row(size_t row) const { return &by_row_[row * width_]; }
  const Sums& total() const { return total_; }

  // By how much the loss would fall, from sums over the rows that a statement holds for.
  double gain(const double* sums) const {
    const double all = std::max(total_[outputs_], kTiny);
    const double share = sums[outputs_] / all;
    const double spread = std::max(total_[outputs_] * share * (1 - share), kTiny);
    double gain = 0.0;
    for (int at = 0; at < outputs_; ++at) {
      const double centred = sums[at] - total_[at] * share;
      gain += std::isnan(unit_) ? centred * centred / (2 * spread)
                                : unit_ * std::abs(centred) - unit_ * unit_ * spread / 2;
    }
    return gain;
  }

 private:
  int outputs_, width_;
  double unit_;
  Sums by_row_, total_;
};

// The places of the greatest gains, the greatest first; of equal ones the first.
Places greatest(const std::vector<double>& gains, size_t count, size_t from, size_t to) {
  double scale = 0.0;
  for (size_t at = from; at < to; ++at) scale = std::max(scale, std::abs(gains[at]));
  if (scale == 0.0) scale = 1.0;
  std::vector<std::pair<double, size_t>> best;  // the negative of a gain, and its place
  double least = INFINITY;                      // of those that are left out
  for (size_t at = from; at < to; ++at) {
    const double rounded = -std::nearbyint(gains[at] / scale * kDigits);
    if (rounded > least) continue;
    best.emplace_back(rounded, at);
    if (best.size() >= 8 * count) {
      std::nth_element(best.begin(), best.begin() + count - 1, best.end());
      best.resize(count);
      least = std::max_element(best.begin(), best.end())->first;
    }
  }
  std::sort(best.begin(), best.end());
  if (best.size() > count) best.resize(count);
  Places places;
  for (const auto& each : best) places.push_back(each.second);
  return places;
}

Places greatest(const std::vector<double>& gains, size_t count) {
  return greatest(gains, count, 0, gains.size());
}

// A pool of statements. Few are ever looked at, so they are made on demand. `holds` is where each
// holds on the screened rows, row by row; it is empty for single literals, whose bins say it.
// `members` are the places of their literals, from the least to the greatest, all as many.
struct Pool {
  std::function<Statement(size_t)> statement;
  std::vector<double> holds;
  std::vector<Places> members;

  size_t size() const { return members.size(); }
};

Pool singles_of(const Rows& rows) {
  Pool pool{[&rows](size_t at) { return single(rows.coarse()[at]); }, {}, {}};
  for (size_t at = 0; at < rows.coarse().size(); ++at) pool.members.push_back({at});
  return pool;
}

Pool take(const Pool& pool, const Places& places) {
  Pool taken{[&pool, places](size_t at) { return pool.statement(places[at]); }, {}, {}};
  for (const size_t place : places) taken.members.push_back(pool.members[place]);
  return taken;
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

// Sums of a column's bins as sums of its literals: those of all higher bins, and half of what is
// missing. `bins` and `out` lie `stride` and `step` numbers apart.
void add_up(const double* bins, size_t stride, double* out, size_t step, size_t count,
            size_t width, double of_missing) {
  for (size_t at = 0; at < width; ++at) {
    double sum = of_missing * bins[(count + 1) * stride + at];
    for (size_t number = count; number-- > 0;) {
      sum += bins[(number + 1) * stride + at];
      out[number * step + at] = sum;
    }
  }
}

// Sums over the rows that each literal holds for, from what each row adds.
// Shape: (rows, width) to (literals, width).
Sums sums_of_literals(const Rows& rows, const double* by_row, size_t width) {
  Sums found(rows.coarse().size() * width);
  for (const auto& column : rows.coarse_columns()) {
    Sums bins((column.count + 2) * width);
    for (size_t row = 0; row < column.bins.size(); ++row) {
      double* bin = &bins[column.bins[row] * width];
      for (size_t at = 0; at < width; ++at) bin[at] += by_row[row * width + at];
    }
    add_up(bins.data(), width, &found[column.first * width], width, column.count, width, 0.5);
  }
  return found;
}

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
    case 2: return add_to_bins<2>(one, other, other_bins, by_row, rows, bins);
    case 4: return add_to_bins<4>(one, other, other_bins, by_row, rows, bins);
    case 5: return add_to_bins<5>(one, other, other_bins, by_row, rows, bins);
    case 11: return add_to_bins<11>(one, other, other_bins, by_row, rows, bins);
    default:
      for (size_t row = 0; row < rows; ++row) {
        double* bin = &bins[(one[row] * other_bins + other[row]) * width];
        for (size_t at = 0; at < width; ++at) bin[at] += by_row[row * width + at];
      }
  }
}

// Sums over the rows that two single literals hold for both. `place` says which partner a literal
// is, or none. Shape: (partners, literals, width), in pairs that are met once.
Sums sums_of_pairs(const Rows& rows, const Screen& screen, const Places& partners) {
  const size_t n = rows.coarse().size(), width = screen.width(), none = n;
  Places place(n, none);
  for (size_t at = 0; at < partners.size(); ++at) place[partners[at]] = at;
  Sums found(partners.size() * n * width), bins, halves;
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
      const size_t k = first.count, m = second.count, wide = (m + 2) * width;
      bins.assign((k + 2) * wide, 0.0);
      add_to_bins(first.bins.data(), second.bins.data(), m + 2, screen.of_row(0), screen.rows(),
                  bins.data(), width);
      halves.assign((k + 2) * m * width, 0.0);  // (bins of the first, literals of the second)
      for (size_t bin = 0; bin < k + 2; ++bin)
        add_up(&bins[bin * wide], width, &halves[bin * m * width], width, m, width, 0.5);
      Sums joint(k * m * width);
      for (size_t at = 0; at < m; ++at)
        add_up(&halves[at * width], m * width, &joint[at * width], m * width, k, width, 0.5);
      for (size_t a = 0; a < k; ++a)
        for (size_t b = 0; b < m; ++b) {
          const double* own = &joint[(a * m + b) * width];
          const size_t x = first.first + a, y = second.first + b;
          if (place[x] != none)
            std::copy(own, own + width, &found[(place[x] * n + y) * width]);
          if (place[y] != none)
            std::copy(own, own + width, &found[(place[y] * n + x) * width]);
        }
    }
  }
  return found;
}

// Sums over the rows that two statements hold for both, from where they hold.
// Shape: (rows, ones) and (rows, others); returns (ones, others, width).
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
        for (size_t j = 0; j < last; ++j) out[(i * others + from + j) * width + at] = sums[j];
      }
}

// Sums over the rows that each statement of a pool holds for.
Sums sums_of_pool(const Pool& pool, const Screen& screen) {
  const size_t n = pool.size(), width = screen.width();
  Sums found(n * width);
  for (size_t row = 0; row < screen.rows(); ++row)
    for (size_t at = 0; at < n; ++at) {
      const double holds = pool.holds[row * n + at];
      if (holds == 0.0) continue;
      for (size_t sum = 0; sum < width; ++sum)
        found[at * width + sum] += holds * screen.of_row(row)[sum];
    }
  return found;
}

// All ways to join a statement of one pool with one of another: x & y, x & ~y, ~x & y, ~x & ~y
// and x ^ y. An or is the negation of one of them. Gains lie kind by kind.
class Joined {
 public:
  Joined(const Pool& one, const Pool& other, const Screen& screen, const Sums& of_one,
         const Sums& of_other, const Sums& both)
      : one_(one), other_(other) {
    meet();
    const size_t n = first_.size(), width = screen.width();
    gains_.resize(kKinds * n);
    Sums sums[kKinds];
    for (auto& each : sums) each.resize(width);
    for (size_t at = 0; at < n; ++at) {
      const double* x = &of_one[first_[at] * width];
      const double* y = &of_other[second_[at] * width];
      const double* xy = &both[(first_[at] * other.size() + second_[at]) * width];
      for (size_t sum = 0; sum < width; ++sum) {
        sums[0][sum] = xy[sum];
        sums[1][sum] = x[sum] - xy[sum];
        sums[2][sum] = y[sum] - xy[sum];
        sums[3][sum] = screen.total()[sum] - x[sum] - y[sum] + xy[sum];
        sums[4][sum] = x[sum] + y[sum] - 2 * xy[sum];
      }
      for (int kind = 0; kind < kKinds; ++kind)
        gains_[kind * n + at] = screen.gain(sums[kind].data());
    }
  }

  static constexpr int kKinds = 5, kXor = 4;

  size_t pairs() const { return first_.size(); }
  const std::vector<double>& gains() const { return gains_; }
  size_t first(size_t flat) const { return first_[flat % pairs()]; }
  size_t second(size_t flat) const { return second_[flat % pairs()]; }
  int kind(size_t flat) const { return static_cast<int>(flat / pairs()); }

  Statement statement(size_t flat) const {
    const Statement x = one_.statement(first(flat)), y = other_.statement(second(flat));
    const int kind = this->kind(flat);
    if (kind == kXor) return join('^', x, y);
    return join('&', kind == 2 || kind == 3 ? negation(x) : x,
                kind == 1 || kind == 3 ? negation(y) : y);
  }

  Statements best(size_t count) const {
    Statements found;
    if (pairs())
      for (const size_t flat : greatest(gains_, count)) found.push_back(statement(flat));
    return found;
  }

 private:
  // Which statements are joined: they share no literal, and meet once.
  void meet() {
    std::vector<Places> known = one_.members;
    std::sort(known.begin(), known.end());
    std::vector<bool> is_in_both;
    for (const auto& each : other_.members)
      is_in_both.push_back(std::binary_search(known.begin(), known.end(), each));
    for (size_t x = 0; x < one_.size(); ++x)
      for (size_t y = 0; y < other_.size(); ++y) {
        const Places &a = one_.members[x], &b = other_.members[y];
        if (is_in_both[y] && !(a < b)) continue;
        if (std::none_of(a.begin(), a.end(), [&](size_t each) {
              return std::find(b.begin(), b.end(), each) != b.end();
            }))
          first_.push_back(x), second_.push_back(y);
      }
  }

  const Pool &one_, &other_;
  Places first_, second_;
  std::vector<double> gains_;
};

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
  const size_t plain = Joined::kXor * joined.pairs();
  Places flat = greatest(gains, most - most / 3, 0, plain);
  const Places exclusive = greatest(gains, most / 3, plain, gains.size());
  flat.insert(flat.end(), exclusive.begin(), exclusive.end());
  Pool pool{[&joined, flat](size_t at) { return joined.statement(flat[at]); }, {}, {}};
  Places first, second;
  for (const size_t each : flat) {
    first.push_back(partners[joined.first(each)]), second.push_back(joined.second(each));
    pool.members.push_back({std::min(first.back(), second.back()),
                            std::max(first.back(), second.back())});
  }
  const auto x = holds_of(rows, first), y = holds_of(rows, second);
  pool.holds.resize(x.size());
  for (size_t at = 0; at < x.size(); ++at) {
    const int kind = joined.kind(flat[at % flat.size()]);
    const double a = kind == 2 || kind == 3 ? 1 - x[at] : x[at];
    const double b = kind == 1 || kind == 3 || kind == Joined::kXor ? 1 - y[at] : y[at];
    pool.holds[at] = a * b + (kind == Joined::kXor ? (1 - x[at]) * y[at] : 0.0);
  }
  return pool;
}

Statements join_pools(const Pool& one, const Pool& other, const Screen& screen) {
  Sums both(one.size() * other.size() * screen.width());
  multiply(one.holds.data(), one.size(), other.holds.data(), other.size(), screen.of_row(0),
           screen.rows(), screen.width(), both.data());
  const Sums of_one = sums_of_pool(one, screen), of_other = sums_of_pool(other, screen);
  return Joined(one, other, screen, of_one, of_other, both).best(kPairs);
}

}  // namespace

Statements promising(const Rows& rows, const Slope& slope, int size) {
  if (rows.coarse().empty()) return {};
  const Screen screen(rows, slope);
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
  Sums of_partners;
  for (const size_t place : places)
    of_partners.insert(of_partners.end(), &sums[place * width], &sums[place * width] + width);
  const Joined joined(partners, singles, screen, of_partners, sums,
                      sums_of_pairs(rows, screen, places));
  if (size == 2) return joined.best(kPairs);
  if (!joined.pairs()) return {};
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

namespace {

// A part of a statement, and sums of slopes over the rows where the part decides. A row counts as
// far as the part decides there whether the whole holds. `literals` sums over the rows that each
// literal holds for, `both` over those where the part holds too, `itself` over those of the part,
// `always` over all, `fixed` over those where the whole holds even without the part.
struct Part {
  Sums literals, both, itself, always, fixed;

  Part(Rows& rows, const Screen& screen, const Statement& statement, int end)
      : itself(screen.width()), always(screen.width()), fixed(screen.width()) {
    Values without, within, own;
    rows.write_with_part(statement, end, kFalse, -1, without, &own);
    rows.write_with_part(statement, end, kTrue, -1, within, nullptr);
    const size_t width = screen.width();
    Sums decided(screen.rows() * width), held(decided.size());
    for (size_t row = 0; row < screen.rows(); ++row) {
      const auto place = rows.screened()[row];
      const double change = (within[place] - without[place]) / 2.0, part = own[place] / 2.0;
      for (size_t at = 0; at < width; ++at) {
        const double slope = screen.of_row(row)[at];
        always[at] += decided[row * width + at] = change * slope;
        itself[at] += held[row * width + at] = part * change * slope;
        fixed[at] += without[place] / 2.0 * slope;
      }
    }
    literals = sums_of_literals(rows, decided.data(), width);
    both = sums_of_literals(rows, held.data(), width);
  }
};

// A kind of change: a part is joined with a literal, or, where the symbol is a dot, a literal is
// exchanged. Then `itself`, `always`, `literals` and `both` are summed so often.
struct Kind {
  char symbol;
  bool negated;
  double itself, always, literals, both;
};

const std::vector<Kind> kGrowths = {{'&', false, 0, 0, 0, 1},
                                    {'&', true, 1, 0, 0, -1},
                                    {'|', false, 1, 0, 1, -1},
                                    {'|', true, 0, 1, -1, 1},
                                    {'^', false, 1, 0, 1, -2}};
const std::vector<Kind> kExchanges = {{kDot, false, 0, 0, 1, 0}, {kDot, true, 0, 1, -1, 0}};

}  // namespace

Statements promising_changes(Rows& rows, const Slope& slope, const Statement& statement,
                             bool grow) {
  const size_t n = rows.coarse().size();
  if (!n) return {};
  const Screen screen(rows, slope);
  const size_t width = screen.width();
  struct Change {
    Kind kind;
    int at;  // the end of the part, or the place of the literal
  };
  std::vector<Change> changes;
  std::vector<double> gains, sums(width);
  int place = -1;
  for (int end = 0; end < static_cast<int>(statement.shape.size()); ++end) {
    const bool is_literal = statement.shape[end] == kDot;
    place += is_literal;
    if (!grow && !is_literal) continue;
    const Part part(rows, screen, statement, end);
    for (const auto& kind : grow ? kGrowths : kExchanges) {
      changes.push_back({kind, grow ? end : place});
      for (size_t at = 0; at < n; ++at) {
        for (size_t sum = 0; sum < width; ++sum)
          sums[sum] = part.fixed[sum] + kind.itself * part.itself[sum] +
                      kind.always * part.always[sum] +
                      kind.literals * part.literals[at * width + sum] +
                      kind.both * part.both[at * width + sum];
        gains.push_back(screen.gain(sums.data()));
      }
    }
  }
  Statements found;
  for (const size_t flat : greatest(gains, kChanged)) {
    const auto& [kind, at] = changes[flat / n];
    Literal literal = rows.coarse()[flat % n];
    literal.negated = kind.negated;
    found.push_back(grow ? grown(statement, at, kind.symbol, literal)
                         : with_literal(statement, at, literal));
  }
  return found;
}

}  // namespace kernels
