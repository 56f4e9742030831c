// Statements on the rows as packed bits: 64 rows a word.
//
// Joining two statements, or counting the rows that both hold for, is a few instructions a word.
#pragma once

#include <cstdint>
#include <vector>

#include "statement.h"

namespace kernels {

using Word = std::uint64_t;
using Words = std::vector<Word>;
using Values = std::vector<Halves>;  // what a statement counts on every row
constexpr size_t kWordRows = 64;

// The place of the lowest bit that is set.
inline size_t lowest_bit(Word word) {
#if defined(__GNUC__)
  return static_cast<size_t>(__builtin_ctzll(word));
#else
  size_t place = 0;
  for (; !(word & 1); word >>= 1) ++place;
  return place;
#endif
}

inline size_t words_of(size_t rows) { return (rows + kWordRows - 1) / kWordRows; }
// The bits of all rows; those beyond the last row are 0.
Words all_rows(size_t rows);

// For which rows a statement holds, and for which that is unknown; `unknown` is empty if it is
// known for all. No row is in both. Bits beyond the last row are 0.
struct Bits {
  Words holds, unknown;
};

inline bool is_set(const Words& words, size_t row) {
  return !words.empty() && (words[row / kWordRows] >> (row % kWordRows) & 1);
}
// What a statement counts on a row.
inline Halves value_of(const Bits& bits, size_t row) {
  return is_set(bits.holds, row) ? kTrue : is_set(bits.unknown, row) ? kUnknown : kFalse;
}

// Kleene's logic of a statement and another one, in place.
void join_into(char symbol, Bits& first, const Bits& second);
// Whether a statement holds for some rows and fails for others. `all` are the bits of all rows.
bool parts_rows(const Bits& bits, const Words& all);
// The rows on which two statements do not count the same.
Words differing(const Bits& one, const Bits& other);
// What the statement counts on every row, in halves.
void write_values(const Bits& bits, size_t rows, Values& out);
// Set a bit of every row's byte where a statement's bit is set.
void spread_bits(const Words& words, size_t place, Words& bytes);
// How many bits are set.
std::int64_t count_of(const Words& words);

// Calls a function with each row whose bit is set.
template <typename Function>
inline void for_each_row(const Words& words, Function function) {
  for (size_t at = 0; at < words.size(); ++at)
    for (Word left = words[at]; left; left &= left - 1)
      function(at * kWordRows + lowest_bit(left));
}

// Statements one after the other, to be compared with others.
class BitMatrix {
 public:
  explicit BitMatrix(size_t rows) : words_(words_of(rows)) {}

  size_t size() const { return size_; }
  void append(const Bits& bits);
  // Sums over all rows of the products of what one statement and each of them count, in
  // quarters, `step` numbers apart.
  void products_with(const Bits& one, double* out, size_t step) const;

 private:
  size_t words_, size_ = 0;
  Words holds_, unknown_;  // the second one is empty as long as all is known
};

}  // namespace kernels
