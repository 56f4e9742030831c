// Columns of a table, and where their rows lie among cuts.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "bits.h"

namespace kernels {

using Ranks = std::vector<std::int32_t>;

// Cuts of a column, and where its rows lie among them: how many of the cuts a row lies above,
// 0 where its value is missing. `shares` are those of the rows at or below each cut. `order` has
// the rows from the least rank to the greatest; those of a rank begin at its place in `starts`.
// `above` are the bits of the rows above each cut, where cuts are few; else it is empty.
struct CutColumn {
  std::vector<double> cuts;
  Ranks ranks;
  std::vector<double> shares;
  std::shared_ptr<const Ranks> order;
  std::vector<size_t> starts;
  std::vector<Words> above = {};

  size_t size() const { return cuts.size(); }
  Words rows_above(size_t cut) const;
};

// `column` has a value for every weight; a missing value is NaN. The cuts ascend.
CutColumn cut_column(const double* column, const std::vector<double>& weights,
                     const std::vector<double>& cuts);

// A column with a cut at every value. The rows are sorted once, for cuts anywhere.
class SortedColumn {
 public:
  SortedColumn(const double* column, const std::vector<double>& weights);

  // Cuts at all values above one number and up to another one, but for the last of them.
  CutColumn cut_between(double low, double high) const;

 private:
  std::vector<double> values_, weight_up_to_;  // of each value once, ascending
  Ranks places_;                               // the value of each row; -1 if it is missing
  std::shared_ptr<const Ranks> order_;
  std::vector<size_t> starts_;  // where the rows of each value begin, and how many rows there are
  double total_weight_ = 0.0;
};

}  // namespace kernels
