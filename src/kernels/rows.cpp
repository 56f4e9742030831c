#include "rows.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "arrays.h"

namespace kernels {

namespace {

// Two cuts of a column part at least this share of the rows from each other.
constexpr double kLeastBetween = 0.05, kRounding = 1e-9;
// How many cuts at quantiles lie on each side of what is near.
constexpr std::ptrdiff_t kNear = 4;

// Kleene's logic in halves: unknown is in the middle between false and true.
FOR_ALL_PROCESSORS
void join_into(char symbol, Halves* first, const Halves* second, size_t n) {
  if (symbol == '&') {
    for (size_t at = 0; at < n; ++at) first[at] = std::min(first[at], second[at]);
  } else if (symbol == '|') {
    for (size_t at = 0; at < n; ++at) first[at] = std::max(first[at], second[at]);
  } else {
    for (size_t at = 0; at < n; ++at) {
      const bool unknown = first[at] == kUnknown || second[at] == kUnknown;
      const Halves differ = static_cast<Halves>(std::abs(first[at] - second[at]));
      first[at] = unknown ? kUnknown : differ;
    }
  }
}

FOR_ALL_PROCESSORS
void write_literal(const double* column, const Literal& literal, Halves* out, size_t n) {
  for (size_t at = 0; at < n; ++at) {
    const Halves value = (column[at] > literal.cut) != literal.negated ? kTrue : kFalse;
    out[at] = std::isnan(column[at]) ? kUnknown : value;
  }
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
      cut_columns_(cuts_.size()) {
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

const Values& Rows::literal(const Literal& literal) {
  const auto known = literals_.find(literal);
  if (known != literals_.end()) return known->second;
  Values values(size_);
  write_literal(column(literal.feature), literal, values.data(), size_);
  return literals_.emplace(literal, std::move(values)).first->second;
}

void Rows::write_values(const Statement& statement, Values& out) {
  write_with_part(statement, -1, kFalse, -1, out, nullptr);
}

void Rows::write_with_part(const Statement& statement, int end, Halves value, int missing_of,
                           Values& out, Values* part) {
  size_t depth = 0, next = 0;
  for (int place = 0; place < static_cast<int>(statement.shape.size()); ++place) {
    const char symbol = statement.shape[place];
    if (symbol == kDot) {
      if (stack_.size() == depth) stack_.emplace_back(size_);
      const Values& own = literal(statement.literals[next++]);
      std::copy(own.begin(), own.end(), stack_[depth++].begin());
    } else {
      --depth;
      join_into(symbol, stack_[depth - 1].data(), stack_[depth].data(), size_);
    }
    if (place == end) {
      Values& top = stack_[depth - 1];
      if (part) *part = top;
      std::fill(top.begin(), top.end(), value);
      if (missing_of >= 0) {
        const double* own = column(missing_of);
        for (size_t row = 0; row < size_; ++row)
          if (std::isnan(own[row])) top[row] = kUnknown;
      }
    }
  }
  out = stack_[0];
}

Statements Rows::sensible(const Statements& options, const Statements& others) {
  Statements found;
  const auto is_in = [](const Statement& one, const Statements& all) {
    return std::find(all.begin(), all.end(), one) != all.end();
  };
  for (const auto& each : options)
    if (!is_in(each, found) && !is_in(each, others) && is_apart(each, others) && parts_rows(each))
      found.push_back(each);
  return found;
}

bool Rows::parts_rows(const Statement& statement) {
  Values values;
  write_values(statement, values);
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  return *least == kFalse && *most == kTrue;
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
  const auto key = std::make_pair(literal.feature, literal.cut);
  const auto known = shares_.find(key);
  if (known != shares_.end()) return known->second;
  double below = 0.0;
  for (size_t row = 0; row < size_; ++row)
    if (column(literal.feature)[row] <= literal.cut) below += weights_[row];
  return shares_[key] = below / total_weight_;
}

std::shared_ptr<const CutColumn> Rows::cut_column(int feature, std::vector<double> cuts) const {
  auto found = std::make_shared<CutColumn>();
  std::vector<double> counted(cuts.size() + 1);
  found->ranks.resize(size_);
  for (size_t row = 0; row < size_; ++row) {
    const double value = column(feature)[row];
    if (std::isnan(value)) continue;
    const auto rank = std::lower_bound(cuts.begin(), cuts.end(), value) - cuts.begin();
    found->ranks[row] = static_cast<std::int32_t>(rank);
    counted[rank] += weights_[row];
  }
  double below = 0.0;
  for (size_t at = 0; at < cuts.size(); ++at)
    found->shares.push_back((below += counted[at]) / total_weight_);
  found->cuts = std::move(cuts);
  return found;
}

Scan Rows::scan(const Statement& statement, int place, const Statements& others) {
  const int feature = statement.literals[place].feature;
  auto& column = cut_columns_[feature];
  if (!column) column = cut_column(feature, cuts_[feature]);
  return scan_column(statement, place, others, column);
}

bool Rows::scan_near(const Statement& statement, int place, const Statements& others,
                     Scan& out) {
  const Literal& literal = statement.literals[place];
  std::vector<double> near = values_near(literal);
  if (near.size() < 2) return false;
  near.pop_back();
  out = scan_column(statement, place, others, cut_column(literal.feature, std::move(near)));
  return true;
}

std::vector<double> Rows::values_near(const Literal& literal) const {
  const auto& cuts = cuts_[literal.feature];
  const auto place = std::lower_bound(cuts.begin(), cuts.end(), literal.cut) - cuts.begin();
  const auto last = static_cast<std::ptrdiff_t>(cuts.size());
  const double low = place >= kNear ? cuts[place - kNear] : -INFINITY;
  const double high = place + kNear < last ? cuts[place + kNear] : INFINITY;
  std::vector<double> found;
  for (size_t row = 0; row < size_; ++row) {
    const double value = column(literal.feature)[row];
    if (value > low && value <= high) found.push_back(value);
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

Scan Rows::scan_column(const Statement& statement, int place, const Statements& others,
                       std::shared_ptr<const CutColumn> column) {
  Scan scan{statement, place, std::move(column), {}, {}, {}};
  const Literal& literal = statement.literals[place];
  int end = -1;
  for (int seen = -1; seen < place; seen += statement.shape[end] == kDot) ++end;
  write_with_part(statement, end, kTrue, literal.feature, scan.above, nullptr);
  write_with_part(statement, end, kFalse, literal.feature, scan.below, nullptr);
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
  const auto& ranks = scan.column->ranks;
  const auto n = static_cast<std::int32_t>(scan.size());
  std::int32_t highest[] = {-1, -1, -1}, lowest[] = {n + 1, n + 1, n + 1};
  for (size_t row = 0; row < size_; ++row) {
    auto& high = highest[scan.above[row]];
    auto& low = lowest[scan.below[row]];
    high = std::max(high, ranks[row]);
    low = std::min(low, ranks[row]);
  }
  std::vector<bool> found(scan.size());
  for (std::int32_t at = 0; at < n; ++at) {
    const auto occurs = [&](Halves value) { return at < highest[value] || at >= lowest[value]; };
    found[at] = occurs(kTrue) && occurs(kFalse);
  }
  return found;
}

}  // namespace kernels
