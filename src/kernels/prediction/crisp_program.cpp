#include "crisp_program.h"

#include <algorithm>
#include <utility>

namespace kernels {

namespace {

constexpr size_t kBlock = CrispProgram::kBlock;
// Rows whose values are in registers, or in the cache next to them.
constexpr size_t kFew = 64;
static_assert(kBlock % kFew == 0);

// Calls a function with the first of every few rows.
template <typename Function>
inline void for_few(Function function) {
  for (size_t first = 0; first < kBlock; first += kFew) function(first);
}

// Writes a truth for every row.
template <typename Function>
inline void write_truths(Truth* out, Function function) {
  for_few([&](size_t first) {
    Truth few[kFew];  // nothing else is in this memory, so all are computed at once
    for (size_t at = 0; at < kFew; ++at) few[at] = static_cast<Truth>(function(first + at));
    std::memcpy(out + first, few, kFew);
  });
}

// Whether no value is missing, and none is outside of the ends.
FOR_ALL_PROCESSORS
bool are_usual(const double* values, Ends ends) {
  std::int64_t found = 0;  // as wide as a value
  for (size_t at = 0; at < kBlock; ++at) {
    found |= values[at] >= ends.low ? 0 : 1;
    found |= values[at] <= ends.high ? 0 : 1;
  }
  return !found;
}

FOR_ALL_PROCESSORS
bool any_outside(const double* values, Ends ends) {
  std::int64_t found = 0;
  for (size_t at = 0; at < kBlock; ++at)
    found |= (values[at] < ends.low) | (values[at] > ends.high);
  return found != 0;
}

// True above a threshold, false elsewhere, missing values included.
FOR_ALL_PROCESSORS
void write_step(const double* values, double threshold, Truth* out) {
  write_truths(out, [&](size_t at) { return values[at] > threshold ? 1 : -1; });
}

FOR_ALL_PROCESSORS
void write_known(const double* values, Truth* out) {
  write_truths(out, [&](size_t at) { return values[at] == values[at] ? -1 : 0; });
}

FOR_ALL_PROCESSORS
void keep_known(const Truth* known, Truth* out) {
  write_truths(out, [&](size_t at) { return out[at] & known[at]; });
}

FOR_ALL_PROCESSORS
void write_flag(const double* values, Truth* out) {
  write_truths(out, [&](size_t at) { return (values[at] == 1.0) - (values[at] == 0.0); });
}

FOR_ALL_PROCESSORS
void write_level(const double* values, double code, Truth* out) {
  write_truths(out, [&](size_t at) {
    const bool is_known = values[at] >= 0.0, is_code = values[at] == code;
    return (is_known & is_code) - (is_known & !is_code);
  });
}

FOR_ALL_PROCESSORS
void write_missing(const double* values, Truth* out) {
  write_truths(out, [&](size_t at) { return values[at] == values[at] ? -1 : 1; });
}

void write_indicator(const Indicator& indicator, const double* values, Truth* out) {
  switch (indicator.kind) {
    case Indicator::kStep: return write_step(values, indicator.number, out);
    case Indicator::kFlag: return write_flag(values, out);
    case Indicator::kLevel: return write_level(values, indicator.number, out);
    case Indicator::kMissing: return write_missing(values, out);
  }
}

FOR_ALL_PROCESSORS
void operate(int kind, const Truth* x, const Truth* y, Truth* out) {
  switch (kind) {
    case Operation::kLeast:
      return write_truths(out, [=](size_t at) { return std::min(x[at], y[at]); });
    case Operation::kGreatest:
      return write_truths(out, [=](size_t at) { return std::max(x[at], y[at]); });
    case Operation::kTimes: return write_truths(out, [=](size_t at) { return x[at] * y[at]; });
    case Operation::kPlus: return write_truths(out, [=](size_t at) { return x[at] + y[at]; });
    case Operation::kMinus: return write_truths(out, [=](size_t at) { return x[at] - y[at]; });
    case Operation::kNegative: return write_truths(out, [=](size_t at) { return -x[at]; });
  }
}

}  // namespace

CrispProgram::CrispProgram(const std::vector<Indicator>& indicators,
                           std::vector<Operation> operations, int slots,
                           const std::vector<Ends>& ends)
    : operations_(std::move(operations)),
      values_(slots * kBlock),
      memory_(ends.size() * kBlock),
      columns_(ends.size()) {
  for (const Ends& each : ends) asked_.push_back({each, {}});
  for (const Indicator& each : indicators) asked_[each.column].indicators.push_back(each);
  std::fill_n(at(slots - 1), kBlock, Truth{1});
}

// Finds or copies the values of all columns. Few rows are copied at a time, so that those of a
// matrix are in the cache for all its columns. What a last block lacks is filled up.
void CrispProgram::read(const NumberColumns& columns, size_t first, size_t n) {
  for (size_t row = 0; row < n; row += kFew) {
    const size_t few = std::min(kFew, n - row);
    for (size_t at = 0; at < columns.size(); ++at) {
      double* copied = &memory_[at * kBlock];
      columns_[at] = n == kBlock ? columns[at].in_place(first) : nullptr;
      if (columns_[at]) continue;
      columns_[at] = copied;
      columns[at].read(first + row, few, copied + row);
      if (row + few == n) std::fill(copied + n, copied + kBlock, copied[n - 1]);
    }
  }
}

void CrispProgram::answer(Asked& asked, const double* values) {
  for (const Indicator& each : asked.indicators) write_indicator(each, values, at(each.slot));
  if (are_usual(values, asked.ends)) return;
  asked.was_outside = asked.was_outside || any_outside(values, asked.ends);
  Truth known[kBlock];
  write_known(values, known);
  for (const Indicator& each : asked.indicators)
    if (each.kind == Indicator::kStep) keep_known(known, at(each.slot));
}

void CrispProgram::run(const NumberColumns& columns, size_t first, size_t n) {
  read(columns, first, n);
  const size_t next = first + kBlock;
  for (size_t at = 0; at < asked_.size(); ++at) {
    answer(asked_[at], columns_[at]);
    // Meanwhile the next block comes into the cache, a part at a time.
    const size_t part = kBlock * at / asked_.size(), end = kBlock * (at + 1) / asked_.size();
    if (next + end <= columns[0].size()) columns.prefetch(next + part, end - part);
  }
  for (const Operation& each : operations_)
    operate(each.kind, at(each.x), at(each.y), at(each.out));
}

FOR_ALL_PROCESSORS
void compete(const Truth* values, std::int16_t factor, std::int16_t offset, std::int16_t number,
             std::int16_t* best, std::int16_t* winner) {
  for (size_t at = 0; at < kBlock; ++at) {
    const auto rank = static_cast<std::int16_t>(values[at] * factor + offset);
    const auto if_ahead = static_cast<std::int16_t>(rank > best[at] ? number : 0);
    winner[at] = std::max(winner[at], if_ahead);  // no number so far is greater
    best[at] = std::max(best[at], rank);
  }
}

}  // namespace kernels
