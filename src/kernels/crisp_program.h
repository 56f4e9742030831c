// A crisp program: what indicators of columns say, and steps of Kleene's logic and sums on it.
//
// The same as crisplogic.expr.program and crisplogic.rules.scoring.Truths, for blocks of rows
// whose values stay in the cache: -1 where something is false, 0 where unknown, 1 where true.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "number_column.h"

namespace kernels {

using Columns = std::deque<NumberColumn>;

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
  // The last two of the slots hold 0 and 1, which no operation may overwrite. Indicators stand
  // column by column.
  CrispProgram(std::vector<Indicator> indicators, std::vector<Operation> operations, int slots);

  static constexpr size_t kBlock = 1024;  // rows

  // Computes the slots for a block of rows, `first` and after it.
  void run(const Columns& columns, const std::vector<Ends>& ends, size_t first, size_t n);
  const std::int8_t* slot(int number) const { return &values_[number * kBlock]; }
  // Whether a number of each column was outside.
  const std::vector<bool>& outside() const { return outside_; }

 private:
  std::int8_t* at(int slot) { return &values_[slot * kBlock]; }
  void indicate(const Columns& columns, const std::vector<Ends>& ends, size_t first, size_t n);

  std::vector<Indicator> indicators_;
  std::vector<Operation> operations_;
  std::vector<std::int8_t> values_;
  std::vector<double> memory_;
  std::vector<bool> outside_;
};

// One class beside those before it: it wins where its rank, a factor times the value plus an
// offset, is greater than the best.
void compete(const std::int8_t* values, std::int16_t factor, std::int16_t offset,
             std::int16_t number, size_t n, std::int16_t* best, std::int16_t* winner);

}  // namespace kernels
