#include "rows.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

namespace kernels {

namespace {

// Two cuts of a column part at least this share of the rows from each other.
constexpr double kLeastBetween = 0.05, kRounding = 1e-9;
// How many cuts at quantiles lie on each side of what is near.
constexpr std::ptrdiff_t kNear = 4;

// Where a literal holds, and where that is unknown.
Bits bits_of(const double* column, const Literal& literal, size_t rows) {
  Bits bits{Words(words_of(rows)), Words(words_of(rows))};
  Word any_unknown = 0;
  for (size_t row = 0; row < rows; ++row) {
    const size_t word = row / kWordRows, shift = row % kWordRows;
    const bool unknown = std::isnan(column[row]);
    const bool holds = (column[row] > literal.cut) != literal.negated;
    bits.holds[word] |= static_cast<Word>(holds && !unknown) << shift;
    bits.unknown[word] |= static_cast<Word>(unknown) << shift;
    any_unknown |= unknown;
  }
  if (!any_unknown) bits.unknown.clear();
  return bits;
}

// One value wherever a part's bits are known.
void fill(Bits& bits, Halves value, const Words& all) {
  if (value == kTrue) bits.holds = all;
  else std::fill(bits.holds.begin(), bits.holds.end(), Word{0});
  for (size_t at = 0; at < bits.unknown.size(); ++at) bits.holds[at] &= ~bits.unknown[at];
}

// Whether two statements are the same but for the cut of one literal.
bool differ_in_cut(const Statement& one, const Statement& other, int place) {
  if (one.shape != other.shape) return false;
  Literal literal = one.literals[place];
  literal.cut = other.literals[place].cut;
  return with_literal(one, place, literal) == other;
}

}  // namespace

Statement Scan::with_cut(size_t at) const {
  Literal moved = statement.literals[place];
  moved.cut = column->cuts[at];
  return with_literal(statement, place, moved);
}

Bits Scan::bits(size_t at) const {
  const Words is_above = column->rows_above(at);
  const auto choose = [&](const Words& above, const Words& below) {
    Words found(is_above.size());
    for (size_t word = 0; word < found.size(); ++word) {
      const Word one = above.empty() ? 0 : above[word], other = below.empty() ? 0 : below[word];
      found[word] = (is_above[word] & one) | (~is_above[word] & other);
    }
    return found;
  };
  Bits found{choose(above.holds, below.holds), {}};
  if (!above.unknown.empty() || !below.unknown.empty())
    found.unknown = choose(above.unknown, below.unknown);
  return found;
}

bool Scan::any_allowed() const {
  return std::find(allowed.begin(), allowed.end(), true) != allowed.end();
}

Rows::Rows(size_t rows, std::vector<double> columns, std::vector<double> weights,
           std::vector<std::vector<double>> cuts, std::vector<int> coarse_features,
           std::vector<double> coarse_cuts, std::vector<std::int64_t> screened)
    : size_(rows),
      columns_(std::move(columns)),
      weights_(std::move(weights)),
      total_weight_(0.0),
      cuts_(std::move(cuts)),
      screened_(std::move(screened)),
      all_(all_rows(size_)),
      cut_columns_(cuts_.size()),
      sorted_columns_(cuts_.size()) {
  for (const double weight : weights_) total_weight_ += weight;
  for (size_t at = 0; at < coarse_features.size(); ++at) {
    coarse_.push_back({coarse_features[at], coarse_cuts[at]});
    if (coarse_columns_.empty() || coarse_columns_.back().feature != coarse_features[at])
      coarse_columns_.push_back({coarse_features[at], static_cast<int>(at), 0, {}});
    ++coarse_columns_.back().count;
  }
  for (auto& each : coarse_columns_) {
    const auto first = coarse_cuts.begin() + each.first, last = first + each.count;
    for (const auto row : screened_) {
      const double value = column(each.feature)[row];
      const auto rank = std::isnan(value) ? each.count + 1 : std::lower_bound(first, last, value) - first;
      each.bins.push_back(static_cast<std::uint8_t>(rank));
    }
  }
}

const Bits& Rows::bits(const Literal& literal) {
  const auto known = literals_.find(literal);
  if (known != literals_.end()) return known->second;
  return literals_.emplace(literal, bits_of(column(literal.feature), literal, size_))
      .first->second;
}

Bits Rows::bits_with_part(const Statement& statement, int end, Halves value, int missing_of,
                          Bits* part) {
  std::vector<Bits> stack;
  size_t next = 0;
  for (int place = 0; place < static_cast<int>(statement.shape.size()); ++place) {
    const char symbol = statement.shape[place];
    if (symbol == kDot) {
      stack.push_back(bits(statement.literals[next++]));
    } else {
      const Bits second = std::move(stack.back());
      stack.pop_back();
      join_into(symbol, stack.back(), second);
    }
    if (place == end) {
      Bits& top = stack.back();
      if (part) *part = top;
      top.unknown.clear();
      if (missing_of >= 0) top.unknown = bits(Literal{missing_of, 0.0}).unknown;
      fill(top, value, all_);
    }
  }
  return std::move(stack[0]);
}

Statements Rows::parting(const Statements& options, const Statements& others) {
  Statements found;
  for (const auto& each : options)
    if (is_apart(each, others) && parts_rows(bits(each), all_)) found.push_back(each);
  return found;
}

Statements Rows::sensible(const Statements& options, const Statements& others) {
  Statements found;
  const auto is_in = [](const Statement& one, const Statements& all) {
    return std::find(all.begin(), all.end(), one) != all.end();
  };
  for (const auto& each : parting(options, others))
    if (!is_in(each, found) && !is_in(each, others)) found.push_back(each);
  return found;
}

bool Rows::is_apart(const Statement& statement, const Statements& others) {
  const auto is_close = [this](const Literal& one, const Literal& other) {
    return one.feature == other.feature && one.cut != other.cut &&
           std::abs(share_below(one) - share_below(other)) < kLeastBetween - kRounding;
  };
  for (const auto& literal : statement.literals) {
    for (const auto& other : statement.literals)
      if (is_close(literal, other)) return false;
    for (const auto& each : others)
      for (const auto& other : each.literals)
        if (is_close(literal, other)) return false;
  }
  return true;
}

double Rows::share_below(const Literal& literal) {
  const Literal cut{literal.feature, literal.cut};
  const auto known = shares_.find(cut);
  if (known != shares_.end()) return known->second;
  double below = 0.0;
  for (size_t row = 0; row < size_; ++row)
    if (column(cut.feature)[row] <= cut.cut) below += weights_[row];
  return shares_[cut] = below / total_weight_;
}

Scan Rows::scan(const Statement& statement, int place, const Statements& others) {
  const int feature = statement.literals[place].feature;
  auto& known = cut_columns_[feature];
  if (!known)
    known = std::make_shared<CutColumn>(cut_column(column(feature), weights_, cuts_[feature]));
  return scan_column(statement, place, others, known);
}

bool Rows::scan_near(const Statement& statement, int place, const Statements& others,
                     Scan& out) {
  const auto column = column_near(statement.literals[place]);
  if (!column->size()) return false;
  out = scan_column(statement, place, others, column);
  return true;
}

std::shared_ptr<const CutColumn> Rows::column_near(const Literal& literal) {
  const int feature = literal.feature;
  const auto& cuts = cuts_[feature];
  const auto place = std::lower_bound(cuts.begin(), cuts.end(), literal.cut) - cuts.begin();
  auto& known = near_[{feature, place}];
  if (known) return known;
  auto& sorted = sorted_columns_[feature];
  if (!sorted) sorted = std::make_unique<SortedColumn>(column(feature), weights_);
  const auto last = static_cast<std::ptrdiff_t>(cuts.size());
  const double low = place >= kNear ? cuts[place - kNear] : -INFINITY;
  const double high = place + kNear < last ? cuts[place + kNear] : INFINITY;
  return known = std::make_shared<CutColumn>(sorted->cut_between(low, high));
}

Scan Rows::scan_column(const Statement& statement, int place, const Statements& others,
                       std::shared_ptr<const CutColumn> column) {
  Scan scan{statement, place, std::move(column), {}, {}, {}};
  const Literal& literal = statement.literals[place];
  int end = -1;
  for (int seen = -1; seen < place; seen += statement.shape[end] == kDot) ++end;
  scan.above = bits_with_part(statement, end, kTrue, literal.feature);
  scan.below = bits_with_part(statement, end, kFalse, literal.feature);
  if (literal.negated) std::swap(scan.above, scan.below);
  scan.allowed = parting_cuts(scan);
  const auto& cuts = scan.column->cuts;
  const auto forbid_close = [&](const Literal& each) {
    const double share = share_below(each);
    for (size_t at = 0; at < cuts.size(); ++at)
      if (std::abs(scan.column->shares[at] - share) < kLeastBetween - kRounding &&
          cuts[at] != each.cut)
        scan.allowed[at] = false;
  };
  const auto forbid = [&](double cut) {
    for (size_t at = 0; at < cuts.size(); ++at)
      if (cuts[at] == cut) scan.allowed[at] = false;
  };
  forbid(literal.cut);
  for (int at = 0; at < statement.size(); ++at)
    if (at != place && statement.literals[at].feature == literal.feature)
      forbid_close(statement.literals[at]);
  for (const auto& other : others) {
    for (const auto& each : other.literals)
      if (each.feature == literal.feature) forbid_close(each);
    if (differ_in_cut(other, statement, place)) forbid(other.literals[place].cut);
  }
  return scan;
}

// Under which cuts a statement holds for some rows and fails for others.
std::vector<bool> Rows::parting_cuts(const Scan& scan) const {
  const auto& order = *scan.column->order;
  const auto& ranks = scan.column->ranks;
  const auto n = static_cast<std::int32_t>(scan.size());
  // Whether the statement is so on a row, which is above a cut or not.
  const auto holds = [](const Bits& bits, size_t row) { return value_of(bits, row) == kTrue; };
  const auto fails = [](const Bits& bits, size_t row) { return value_of(bits, row) == kFalse; };
  // Rows of a higher rank than a cut lie above it.
  const auto occurs = [&](const auto& is_so) {
    const auto highest = std::find_if(order.rbegin(), order.rend(),
                                      [&](std::int32_t row) { return is_so(scan.above, row); });
    const auto lowest = std::find_if(order.begin(), order.end(),
                                     [&](std::int32_t row) { return is_so(scan.below, row); });
    return std::make_pair(highest == order.rend() ? -1 : ranks[*highest],
                          lowest == order.end() ? n + 1 : ranks[*lowest]);
  };
  const auto held = occurs(holds), failed = occurs(fails);
  std::vector<bool> found(scan.size());
  for (std::int32_t at = 0; at < n; ++at)
    found[at] = (at < held.first || at >= held.second) &&
                (at < failed.first || at >= failed.second);
  return found;
}

}  // namespace kernels
