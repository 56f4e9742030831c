// The rows of a table, the cuts of its columns, and where statements hold on the rows.
//
// The same as crisplogic.search.crisp.literals and scan, for one search in one thread.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "bits.h"
#include "columns.h"
#include "statement.h"

namespace kernels {

// A statement with each of many cuts of the literal at a place. `above` is what it counts on a
// row that is above a cut, `below` on all others.
struct Scan {
  Statement statement;
  int place;
  std::shared_ptr<const CutColumn> column;
  std::vector<bool> allowed;
  Bits above, below;

  size_t size() const { return column->cuts.size(); }
  Statement with_cut(size_t at) const;
  // Where the statement holds with one of the cuts.
  Bits bits(size_t at) const;
  bool any_allowed() const;
};

class Rows {
 public:
  // `columns` has all of the first column first; a missing value is NaN. The coarse literals
  // stand feature by feature, their cuts ascending.
  Rows(size_t rows, std::vector<double> columns, std::vector<double> weights,
       std::vector<std::vector<double>> cuts, std::vector<int> coarse_features,
       std::vector<double> coarse_cuts, std::vector<std::int64_t> screened);

  size_t size() const { return size_; }
  const std::vector<double>& weights() const { return weights_; }
  // The bits of all rows.
  const Words& all() const { return all_; }

  // Where a literal or a statement holds.
  const Bits& bits(const Literal& literal);
  Bits bits(const Statement& statement) { return bits_with_part(statement, -1, kFalse, -1); }
  // The same if a part of it, which ends at a place of the shape, had one value wherever the
  // column of `missing_of` is known, and was unknown where that is missing. The part's own bits
  // are written to `part`, unless it is null.
  Bits bits_with_part(const Statement& statement, int end, Halves value, int missing_of,
                      Bits* part = nullptr);

  // Those options that part the rows, with no cut close to another one or to others. So do their
  // negations.
  Statements parting(const Statements& options, const Statements& others);
  // The same without what is there already.
  Statements sensible(const Statements& options, const Statements& others);

  Scan scan(const Statement& statement, int place, const Statements& others);
  // The same with every value near the cut of a literal; none where there is one value only.
  bool scan_near(const Statement& statement, int place, const Statements& others, Scan& out);

  // The coarse literals, and where the screened rows lie among their cuts.
  const std::vector<Literal>& coarse() const { return coarse_; }
  const std::vector<std::int64_t>& screened() const { return screened_; }
  // A feature's coarse literals begin at a place and are so many. For the screened rows: how many
  // of their cuts a row lies above, and one more than all where its value is missing.
  struct Coarse {
    int feature, first, count;
    std::vector<std::uint8_t> bins;
  };
  const std::vector<Coarse>& coarse_columns() const { return coarse_columns_; }

 private:
  const double* column(int feature) const { return &columns_[feature * size_]; }
  bool is_apart(const Statement& statement, const Statements& others);
  double share_below(const Literal& literal);
  Scan scan_column(const Statement& statement, int place, const Statements& others,
                   std::shared_ptr<const CutColumn> column);
  std::vector<bool> parting_cuts(const Scan& scan) const;
  std::shared_ptr<const CutColumn> column_near(const Literal& literal);

  size_t size_;
  std::vector<double> columns_, weights_;
  double total_weight_;
  std::vector<std::vector<double>> cuts_;
  std::vector<Literal> coarse_;
  std::vector<std::int64_t> screened_;
  std::vector<Coarse> coarse_columns_;
  Words all_;
  std::vector<std::shared_ptr<const CutColumn>> cut_columns_;
  std::vector<std::unique_ptr<const SortedColumn>> sorted_columns_;
  std::map<std::pair<int, std::ptrdiff_t>, std::shared_ptr<const CutColumn>> near_;
  std::unordered_map<Literal, Bits, Hash> literals_;
  std::unordered_map<Literal, double, Hash> shares_;
};

}  // namespace kernels
