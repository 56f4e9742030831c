#include "checklist.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "arrays.h"

namespace kernels {

namespace {

FOR_ALL_PROCESSORS
void add_values(const Halves* values, size_t n, bool any, std::uint8_t* counts) {
  if (any)
    for (size_t row = 0; row < n; ++row)
      counts[row] = std::max(counts[row], static_cast<std::uint8_t>(values[row]));
  else
    for (size_t row = 0; row < n; ++row)
      counts[row] = static_cast<std::uint8_t>(counts[row] + values[row]);
}

Words remaining(const Words& words, const Words& all) {
  Words found(all);
  for (size_t at = 0; at < words.size(); ++at) found[at] &= ~words[at];
  return found;
}

void subtract(CountTable& from, const CountTable& other) {
  for (size_t at = 0; at < other.size(); ++at) {
    from.positive[at] = std::max(from.positive[at] - other.positive[at], 0.0);
    from.total[at] = std::max(from.total[at] - other.total[at], 0.0);
  }
}

CountTable difference(CountTable from, const CountTable& other) {
  subtract(from, other);
  return from;
}

}  // namespace

Checklist::Checklist(Rows& rows, const Permits& permits, size_t positive_output,
                     const std::vector<double>& positive, const std::vector<double>& weights,
                     bool any, int vote)
    : Objective(rows, permits),
      positive_output_(positive_output),
      classes_(2 * positive.size()),
      any_(any),
      vote_(vote) {
  for (size_t row = 0; row < positive.size(); ++row)
    classes_[2 * row] = positive[row], classes_[2 * row + 1] = weights[row];
}

Checklist::Rest& Checklist::rest_of(const Statements& statements) {
  if (!rest_.counts.empty() && rest_.statements == statements) return rest_;
  rest_ = {statements, Counts(rows.size()), CountTable(most(statements.size()) + 1), {}};
  for (const auto& each : statements) rest_.counts = counts_with(rest_, rows.bits(each));
  // Row by row, as numpy does: a scale of 0 is above 0 or below it by the last bit.
  for (size_t row = 0; row < rows.size(); ++row) {
    rest_.table.positive[rest_.counts[row]] += classes_[2 * row];
    rest_.table.total[rest_.counts[row]] += classes_[2 * row + 1];
  }
  return rest_;
}

Checklist::Counts Checklist::counts_with(const Rest& rest, const Bits& bits) const {
  Counts found(rest.counts);
  Values values;
  write_values(bits, rows.size(), values);
  add_values(values.data(), rows.size(), any_, found.data());
  return found;
}

// Sums of some rows by the counts of the rest. Every second row adds to other sums: one need not
// wait for the one before it.
CountTable Checklist::sums_of(const Rest& rest, const Words& words) const {
  CountTable found(most(rest.statements.size()) + 1);
  const size_t size = 2 * found.size();
  std::vector<double> sums(2 * size);
  size_t turn = 0;
  for_each_row(words, [&](size_t row) {
    double* sum = &sums[turn + 2 * rest.counts[row]];
    sum[0] += classes_[2 * row], sum[1] += classes_[2 * row + 1];
    turn = size - turn;
  });
  for (size_t at = 0; at < found.size(); ++at) {
    found.positive[at] = sums[2 * at] + sums[size + 2 * at];
    found.total[at] = sums[2 * at + 1] + sums[size + 2 * at + 1];
  }
  return found;
}

Checklist::Shares Checklist::shares_of(const Rest& rest, const Bits& bits) const {
  Shares found{CountTable(), CountTable(rest.table.size())};
  if (!bits.unknown.empty()) found.unknown = sums_of(rest, bits.unknown);
  if (2 * static_cast<size_t>(count_of(bits.holds)) <= rows.size()) {
    found.holds = sums_of(rest, bits.holds);
  } else {  // there are fewer others
    found.holds = rest.table;
    subtract(found.holds, sums_of(rest, remaining(bits.holds, rows.all())));
  }
  return found;
}

Checklist::Shares Checklist::shares_of(Rest& rest, const Statement& statement) {
  const auto known = rest.shares.find(statement);
  if (known != rest.shares.end()) return known->second;
  const Bits bits = rows.bits(statement);
  const bool is_known_pair = statement.size() == 2 && bits.unknown.empty();
  return is_known_pair ? shares_of_pair(rest, statement) : shares_of(rest, bits);
}

const CountTable& Checklist::held_by(Rest& rest, const Statement& statement) {
  const auto known = rest.shares.find(statement);
  if (known != rest.shares.end()) return known->second.holds;
  return rest.shares.emplace(statement, shares_of(rest, rows.bits(statement))).first->second.holds;
}

Checklist::Shares Checklist::shares_of_pair(Rest& rest, const Statement& pair) {
  Literal first = pair.literals[0], second = pair.literals[1];
  const bool is_or = pair.shape.back() == '|';
  // x | y is all but ~x & ~y.
  const bool not_first = first.negated != is_or, not_second = second.negated != is_or;
  first.negated = second.negated = false;
  const CountTable &x = held_by(rest, single(first)), &y = held_by(rest, single(second)),
                   &both = held_by(rest, join('&', single(first), single(second)));
  const CountTable x_alone = difference(x, both), y_alone = difference(y, both);
  const auto rest_of = [&](const CountTable& table) { return difference(rest.table, table); };
  Shares found{CountTable(), CountTable(rest.table.size())};
  if (pair.shape.back() == '^') {
    CountTable one(x_alone);
    for (size_t at = 0; at < one.size(); ++at) {
      one.positive[at] += y_alone.positive[at];
      one.total[at] += y_alone.total[at];
    }
    found.holds = not_first != not_second ? rest_of(one) : one;
    return found;
  }
  const CountTable joined = not_first ? not_second ? difference(rest_of(x), y_alone) : y_alone
                            : not_second ? x_alone
                                         : both;
  found.holds = is_or ? rest_of(joined) : joined;
  return found;
}

CountTable Checklist::table_with(const Rest& rest, const Shares& shares) const {
  CountTable found(most(rest.statements.size() + 1) + 1);
  const CountTable fails = difference(difference(rest.table, shares.holds), shares.unknown);
  const auto add = [&](const CountTable& table, Halves value) {
    for (size_t at = 0; at < table.size(); ++at) {
      found.positive[count_with(at, value)] += table.positive[at];
      found.total[count_with(at, value)] += table.total[at];
    }
  };
  add(fails, kFalse), add(shares.unknown, kUnknown), add(shares.holds, kTrue);
  return found;
}

double Checklist::loss(const Statements& statements) {
  return rest_of(statements).table.loss() + penalty(statements);
}

// Rows of a higher rank than a cut lie above it. So cuts are taken from the last one to the first,
// and each moves the rows of one rank, as far as they change what the statement counts.
void Checklist::append_cuts(const Rest& rest, const Scan& scan, const double* penalties,
                            size_t first, double limit, std::vector<Candidate>& out) const {
  MovingTable moving(table_with(rest, shares_of(rest, scan.below)));
  const Counts below = counts_with(rest, scan.below), above = counts_with(rest, scan.above);
  const auto& column = *scan.column;
  const size_t size = moving.table().size();
  // How much each rank changes each count. Where cuts are many, their rows are few.
  const bool are_few = !column.above.empty();
  std::vector<double> changes(are_few ? 2 * size * (column.size() + 1) : 0);
  if (are_few)
    for_each_row(differing(scan.above, scan.below), [&](size_t row) {
      double* own = &changes[2 * size * column.ranks[row]];
      const double positive = classes_[2 * row], total = classes_[2 * row + 1];
      own[2 * below[row]] -= positive, own[2 * below[row] + 1] -= total;
      own[2 * above[row]] += positive, own[2 * above[row] + 1] += total;
    });
  for (size_t cut = column.size(); cut-- > 0;) {
    if (are_few) {
      const double* own = &changes[2 * size * (cut + 1)];
      for (size_t at = 0; at < size; ++at)
        if (own[2 * at + 1] != 0.0 || own[2 * at] != 0.0)
          moving.change(at, own[2 * at], own[2 * at + 1]);
    } else {
      for (size_t at = column.starts[cut + 1]; at < column.starts[cut + 2]; ++at) {
        const auto row = static_cast<size_t>((*column.order)[at]);
        const double positive = classes_[2 * row], total = classes_[2 * row + 1];
        if (below[row] == above[row]) continue;
        moving.change(below[row], -positive, -total);
        moving.change(above[row], positive, total);
      }
    }
    if (!std::isfinite(penalties[cut])) continue;
    const double bound = moving.bound() + penalties[cut];
    if (bound < limit + kInDoubt)
      out.push_back({first + cut, moving.table(), penalties[cut], bound});
  }
}

std::vector<double> Checklist::losses(const Statements& rest, const Statements& options,
                                      const std::vector<Scan>& scans,
                                      const std::vector<std::vector<double>>& needed,
                                      double limit) {
  Rest& known = rest_of(rest);
  const auto penalties = this->penalties(rest, options, scans, needed);
  std::vector<Candidate> candidates;
  for (size_t at = 0; at < options.size(); ++at) {
    const CountTable table = table_with(known, shares_of(known, options[at]));
    const double bound = table.bound() + penalties[at];
    if (bound < limit + kInDoubt) candidates.push_back({at, table, penalties[at], bound});
  }
  size_t first = options.size();
  for (const auto& scan : scans) {
    append_cuts(known, scan, &penalties[first], first, limit, candidates);
    first += scan.size();
  }
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const auto& one, const auto& other) { return one.bound < other.bound; });
  std::vector<double> found(penalties.size(), INFINITY);
  double least = limit;
  for (const auto& each : candidates) {
    if (!(each.bound < least + kInDoubt)) break;
    found[each.place] = each.table.loss() + each.penalty;
    least = std::min(least, found[each.place]);
  }
  return found;
}

Slope Checklist::slope(const Statements& statements) {
  const Rest& rest = rest_of(statements);
  const auto [scale, bias] = rest.table.fit();
  std::vector<double> probabilities;
  for (size_t at = 0; at < rest.table.size(); ++at)
    probabilities.push_back(expit((any_ ? 0.0 : scale * static_cast<double>(at) / kTrue) + bias));
  Slope slope{1, {}, statements.empty() ? NAN : scale};
  for (const auto row : rows.screened()) {
    const size_t count = rest.counts[row];
    const bool is_decided = any_ && count != kFalse;  // nothing is left to say about it
    const double probability = probabilities[count], weight = is_decided ? 0.0 : classes_[2 * row + 1];
    slope.by_row.push_back(is_decided ? 0.0 : weight * probability - classes_[2 * row]);
    slope.by_row.push_back(weight * probability * (1 - probability));
  }
  return slope;
}

// All rows of a count have the same probability, so sums by count tell how the loss changes.
Statements Checklist::oriented(const Statements& options, const Statements& statements) {
  Rest& rest = rest_of(statements);
  const auto [scale, bias] = rest.table.fit();
  const size_t counts = any_ ? 1 : rest.table.size();
  std::vector<double> probabilities;
  double gradient = 0.0, curvature = 0.0;
  for (size_t at = 0; at < counts; ++at) {
    const double count = static_cast<double>(at) / kTrue;
    const double probability = expit((any_ ? 0.0 : scale * count) + bias);
    probabilities.push_back(probability);
    gradient += rest.table.total[at] * probability - rest.table.positive[at];
    curvature += rest.table.total[at] * probability * (1 - probability);
  }
  const double mean = gradient / std::max(curvature, 1e-12);
  const auto sum = [&](const CountTable& table) {
    double sum = 0.0;
    for (size_t at = 0; at < counts; ++at)
      sum += table.total[at] * probabilities[at] * (1 - mean * (1 - probabilities[at])) -
             table.positive[at];
    return sum;
  };
  Statements found;
  for (const auto& each : rows.parting(options, statements)) {
    Shares shares = shares_of(rest, rows.bits(each));
    Statement turned = each;
    if (sum(shares.holds) + sum(shares.unknown) / 2 > 0) {
      shares.holds = difference(difference(rest.table, shares.holds), shares.unknown);
      turned = negation(each);
    }
    if (!is_permitted(turned)) continue;
    rest.shares.emplace(turned, std::move(shares));
    found.push_back(std::move(turned));
  }
  return found;
}

bool Checklist::is_permitted(const Statement& statement) const {
  return permits.allows(statement, positive_output_, vote_);
}

}  // namespace kernels
