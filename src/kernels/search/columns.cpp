#include "columns.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "arrays.h"

namespace kernels {

namespace {

// A missing value is above no cut.
FOR_ALL_PROCESSORS
void count_above(const double* column, double cut, std::int32_t* ranks, size_t n) {
  for (size_t row = 0; row < n; ++row) ranks[row] += column[row] > cut;
}

FOR_ALL_PROCESSORS
void write_ranks(const std::int32_t* places, std::int32_t first, std::int32_t most,
                 std::int32_t* ranks, size_t n) {
  for (size_t row = 0; row < n; ++row)
    ranks[row] = std::min(std::max(places[row] - first, 0), most);
}

}  // namespace

Words CutColumn::rows_above(size_t cut) const {
  if (!above.empty()) return above[cut];
  Words found(words_of(ranks.size()));
  for (size_t at = starts[cut + 1]; at < order->size(); ++at) {
    const auto row = static_cast<size_t>((*order)[at]);
    found[row / kWordRows] |= Word{1} << row % kWordRows;
  }
  return found;
}

CutColumn cut_column(const double* column, const std::vector<double>& weights,
                     const std::vector<double>& cuts) {
  const size_t n = weights.size(), ranks = cuts.size() + 1;
  CutColumn found{cuts, Ranks(n), {}, nullptr, std::vector<size_t>(ranks + 1)};
  for (const double cut : cuts) count_above(column, cut, found.ranks.data(), n);
  std::vector<double> weight(ranks);
  double total = 0.0;
  for (size_t row = 0; row < n; ++row) {
    ++found.starts[found.ranks[row] + 1];
    if (!std::isnan(column[row])) weight[found.ranks[row]] += weights[row];
    total += weights[row];
  }
  double below = 0.0;
  for (size_t at = 0; at < cuts.size(); ++at)
    found.shares.push_back((below += weight[at]) / total);
  std::partial_sum(found.starts.begin(), found.starts.end(), found.starts.begin());
  auto order = std::make_shared<Ranks>(n);
  std::vector<size_t> next(found.starts);
  for (size_t row = 0; row < n; ++row)
    (*order)[next[found.ranks[row]]++] = static_cast<std::int32_t>(row);
  Words above = all_rows(n);
  for (size_t at = 0; at < cuts.size(); ++at) {
    for (size_t each = found.starts[at]; each < found.starts[at + 1]; ++each) {
      const auto row = static_cast<size_t>((*order)[each]);
      above[row / kWordRows] &= ~(Word{1} << row % kWordRows);
    }
    found.above.push_back(above);
  }
  found.order = std::move(order);
  return found;
}

SortedColumn::SortedColumn(const double* column, const std::vector<double>& weights)
    : places_(weights.size(), -1) {
  std::vector<std::pair<double, std::int32_t>> known;
  auto order = std::make_shared<Ranks>();
  for (size_t row = 0; row < weights.size(); ++row) {
    total_weight_ += weights[row];
    if (std::isnan(column[row])) order->push_back(static_cast<std::int32_t>(row));
    else known.emplace_back(column[row], static_cast<std::int32_t>(row));
  }
  std::sort(known.begin(), known.end());
  double below = 0.0;
  for (const auto& [value, row] : known) {
    if (values_.empty() || value != values_.back()) {
      values_.push_back(value), starts_.push_back(order->size());
      weight_up_to_.push_back(0.0);
    }
    weight_up_to_.back() = below += weights[row];
    places_[row] = static_cast<std::int32_t>(values_.size()) - 1;
    order->push_back(row);
  }
  starts_.push_back(order->size());
  order_ = std::move(order);
}

CutColumn SortedColumn::cut_between(double low, double high) const {
  const auto above = [this](double cut) {
    return std::upper_bound(values_.begin(), values_.end(), cut) - values_.begin();
  };
  const auto first = above(low), last = std::max(above(high) - 1, first);
  const auto cuts = static_cast<size_t>(last - first);
  CutColumn found{{values_.begin() + first, values_.begin() + last}, Ranks(places_.size()), {},
                  order_, {0}};
  write_ranks(places_.data(), static_cast<std::int32_t>(first), static_cast<std::int32_t>(cuts),
              found.ranks.data(), places_.size());
  for (auto at = first; at < last; ++at) {
    found.shares.push_back(weight_up_to_[at] / total_weight_);
    found.starts.push_back(starts_[at + 1]);
  }
  found.starts.push_back(places_.size());
  return found;
}

}  // namespace kernels
