#include <cmath>
#include <vector>

#include "screening.h"

namespace kernels {

namespace {

// How many statements are looked at exactly that one has become by a change.
constexpr size_t kChanged = 12;

// A part of a statement, and sums of slopes over the rows where the part decides. A row counts as
// far as the part decides there whether the whole holds. `literals` sums over the rows that each
// literal holds for, `both` over those where the part holds too, `itself` over those of the part,
// `always` over all, `fixed` over those where the whole holds even without the part.
struct Part {
  Sums literals, both, itself, always, fixed;

  Part(Rows& rows, const Screen& screen, const Statement& statement, int end)
      : itself(screen.width()), always(screen.width()), fixed(screen.width()) {
    Values without, within, own;
    Bits of_part;
    write_values(rows.bits_with_part(statement, end, kFalse, -1, &of_part), rows.size(), without);
    write_values(rows.bits_with_part(statement, end, kTrue, -1), rows.size(), within);
    write_values(of_part, rows.size(), own);
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

Statements Screening::promising_changes(const Slope& slope, const Statement& statement,
                                        bool grow) const {
  Rows& rows = rows_;
  const size_t n = rows.coarse().size();
  if (!n) return {};
  const Screen screen(slope);
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
