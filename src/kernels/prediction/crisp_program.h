// A crisp program: what indicators of columns say, and steps of Kleene's logic and sums on it.
//
// The same as crisplogic.expr.program and crisplogic.rules.scoring.Truths, for blocks of rows
// whose values stay in the cache: -1 where something is false, 0 where unknown, 1 where true.
#pragma once

#include <cstdint>
#include <vector>

#include "number_column.h"

namespace kernels {

using Truth = std::int8_t;

// Whether a value is above a number, is 1 rather than 0, is a code, or is missing.
struct Indicator {
  enum Kind { kStep, kFlag, kLevel, kMissing, kKinds };
  int kind, column, slot;
  double number;
};

// An operation on the values of two slots, or of the first alone.
struct Operation {
  enum Kind { kLeast, kGreatest, kTimes, kPlus, kMinus, kNegative, kKinds };
  int kind, x, y, out;
};

// Numbers outside of these are reported.
struct Ends {
  double low, high;
};

class CrispProgram {
 public:
  // The last two of the slots hold 0 and 1, which no operation may overwrite. Every column has
  // ends.
  CrispProgram(const std::vector<Indicator>& indicators, std::vector<Operation> operations,
               int slots, const std::vector<Ends>& ends);

  static constexpr size_t kBlock = 512;  // rows

  // Computes the slots for a block of rows: `first` and those after it.
  void run(const NumberColumns& columns, size_t first, size_t n);
  const Truth* slot(int number) const { return &values_[number * kBlock]; }
  // Whether a number of a column was outside.
  bool was_outside(size_t column) const { return asked_[column].was_outside; }

 private:
  // What is asked of a column.
  struct Asked {
    Ends ends;
    std::vector<Indicator> indicators;
    bool was_outside = false;
  };

  Truth* at(int slot) { return &values_[slot * kBlock]; }
  void read(const NumberColumns& columns, size_t first, size_t n);
  void answer(Asked& asked, const double* values);

  std::vector<Asked> asked_;
  std::vector<Operation> operations_;
  std::vector<Truth> values_;
  // Blocks of columns that had to be copied, and where each column is.
  std::vector<double> memory_;
  std::vector<const double*> columns_;
};

// One class beside those before it: it wins where its rank, a factor times the value plus an
// offset, is greater than the best.
void compete(const Truth* values, std::int16_t factor, std::int16_t offset, std::int16_t number,
             std::int16_t* best, std::int16_t* winner);

}  // namespace kernels
