#include "crisp_program.h"

#include <algorithm>
#include <utility>

namespace kernels {

namespace {

using Truth = std::int8_t;

FOR_ALL_PROCESSORS
bool any_missing(const double* column, size_t n) {
  std::int64_t found = 0;
  for (size_t at = 0; at < n; ++at) found |= column[at] != column[at];
  return found != 0;
}

FOR_ALL_PROCESSORS
bool any_outside(const double* column, Ends ends, size_t n) {
  std::int64_t found = 0;
  for (size_t at = 0; at < n; ++at) found |= (column[at] < ends.low) | (column[at] > ends.high);
  return found != 0;
}

FOR_ALL_PROCESSORS
void write_above(const double* column, double threshold, size_t n, Truth* out) {
  for (size_t at = 0; at < n; ++at) out[at] = column[at] > threshold;
  for (size_t at = 0; at < n; ++at) out[at] = static_cast<Truth>(2 * out[at] - 1);
}

FOR_ALL_PROCESSORS
void write_above_or_missing(const double* column, double threshold, size_t n, Truth* out) {
  for (size_t at = 0; at < n; ++at)
    out[at] = static_cast<Truth>((column[at] > threshold) - (column[at] <= threshold));
}

FOR_ALL_PROCESSORS
void write_flag(const double* column, size_t n, Truth* out) {
  for (size_t at = 0; at < n; ++at)
    out[at] = static_cast<Truth>((column[at] == 1.0) - (column[at] == 0.0));
}

FOR_ALL_PROCESSORS
void write_level(const double* column, double code, size_t n, Truth* out) {
  for (size_t at = 0; at < n; ++at) {
    const bool is_known = column[at] >= 0.0, is_code = column[at] == code;
    out[at] = static_cast<Truth>((is_known & is_code) - (is_known & !is_code));
  }
}

FOR_ALL_PROCESSORS
void write_missing(const double* column, size_t n, Truth* out) {
  for (size_t at = 0; at < n; ++at)
    out[at] = static_cast<Truth>((column[at] != column[at]) - (column[at] == column[at]));
}

void write_truth(const Indicator& indicator, const double* column, bool may_be_missing, size_t n,
                 Truth* out) {
  switch (indicator.kind) {
    case Indicator::kStep:
      return may_be_missing ? write_above_or_missing(column, indicator.number, n, out)
                            : write_above(column, indicator.number, n, out);
    case Indicator::kFlag: return write_flag(column, n, out);
    case Indicator::kLevel: return write_level(column, indicator.number, n, out);
    case Indicator::kMissing: return write_missing(column, n, out);
  }
}

// An operand may be where the result goes, so results are written a few at a time.
template <typename Function>
inline void write_each(const Truth* x, const Truth* y, Truth* out, Function function) {
  constexpr size_t kFew = 64;
  static_assert(CrispProgram::kBlock % kFew == 0);
  for (size_t first = 0; first < CrispProgram::kBlock; first += kFew) {
    Truth few[kFew];
    for (size_t at = 0; at < kFew; ++at)
      few[at] = static_cast<Truth>(function(x[first + at], y[first + at]));
    std::memcpy(out + first, few, kFew);
  }
}

FOR_ALL_PROCESSORS
void operate(int kind, const Truth* x, const Truth* y, Truth* out) {
  switch (kind) {
    case Operation::kLeast:
      return write_each(x, y, out, [](Truth a, Truth b) { return std::min(a, b); });
    case Operation::kGreatest:
      return write_each(x, y, out, [](Truth a, Truth b) { return std::max(a, b); });
    case Operation::kTimes:
      return write_each(x, y, out, [](Truth a, Truth b) { return a * b; });
    case Operation::kPlus:
      return write_each(x, y, out, [](Truth a, Truth b) { return a + b; });
    case Operation::kMinus:
      return write_each(x, y, out, [](Truth a, Truth b) { return a - b; });
    case Operation::kNegative:
      return write_each(x, y, out, [](Truth a, Truth) { return -a; });
  }
}

}  // namespace

CrispProgram::CrispProgram(std::vector<Indicator> indicators, std::vector<Operation> operations,
                           int slots)
    : indicators_(std::move(indicators)),
      operations_(std::move(operations)),
      values_(slots * kBlock),
      memory_(kBlock) {
  std::fill_n(at(slots - 1), kBlock, Truth{1});
}

void CrispProgram::indicate(const Columns& columns, const std::vector<Ends>& ends, size_t first,
                            size_t n) {
  const double* column = nullptr;
  bool may_be_missing = false;
  for (size_t each = 0; each < indicators_.size(); ++each) {
    const Indicator& indicator = indicators_[each];
    const int number = indicator.column;
    if (!each || number != indicators_[each - 1].column) {
      column = columns[number].read(first, n, memory_.data());
      may_be_missing = columns[number].may_be_missing() && any_missing(column, n);
      if (!outside_[number] && any_outside(column, ends[number], n)) outside_[number] = true;
    }
    write_truth(indicator, column, may_be_missing, n, at(indicator.slot));
  }
}

void CrispProgram::run(const Columns& columns, const std::vector<Ends>& ends, size_t first,
                       size_t n) {
  outside_.resize(columns.size());
  indicate(columns, ends, first, n);
  for (const Operation& each : operations_) 
    operate(each.kind, at(each.x), at(each.y), at(each.out));
}

FOR_ALL_PROCESSORS
void compete(const Truth* values, std::int16_t factor, std::int16_t offset, std::int16_t number,
             size_t n, std::int16_t* best, std::int16_t* winner) {
  for (size_t at = 0; at < n; ++at) {
    const auto rank = static_cast<std::int16_t>(values[at] * factor + offset);
    const auto if_ahead = static_cast<std::int16_t>(rank > best[at] ? number : 0);
    winner[at] = std::max(winner[at], if_ahead);  // no number so far is greater
    best[at] = std::max(best[at], rank);
  }
}

}  // namespace kernels
