// Scores of rows: sums of the points of the statements that hold for each.
#pragma once

#include <vector>

#include "bits.h"

namespace kernels {

// Numbers of several outputs stand row by row, and are padded to a multiple of this.
constexpr size_t kWide = 4;
inline size_t wide_of(size_t outputs) {
  return outputs == 1 ? 1 : (outputs + kWide - 1) / kWide * kWide;
}

// Statements in groups of eight. A row's scores are a few entries of tables, one for each group:
// there are as many entries as ways in which eight statements hold.
class RowPatterns {
 public:
  // There is a first group, even of no statements: the constant is a part of it.
  explicit RowPatterns(size_t rows) : rows_(rows), patterns_(1, Words(words_of(rows) * 8)) {}

  void append(const Bits& bits);

  // The points of all statements that hold; half of them where that is unknown. The first points
  // are those of a constant. Shape: (1 + statements, wide) to (rows, wide).
  std::vector<double> scores(const std::vector<double>& points, size_t wide) const;

 private:
  void append(const Words& words, size_t statement, double share);

  // Some bits: how much of a statement's points they count.
  struct Member {
    size_t statement;
    double share;
  };

  size_t rows_, size_ = 0;
  std::vector<Member> members_;
  std::vector<Words> patterns_;  // of each group, a byte a row
};

}  // namespace kernels
