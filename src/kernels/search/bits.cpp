#include "bits.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "arrays.h"

namespace kernels {

namespace {

// Loops that count bits are also compiled for processors that have an instruction for it.
#if defined(__x86_64__) && defined(__linux__) && defined(__GNUC__) && !defined(__clang__)
#define FOR_ALL_COUNTERS __attribute__((target_clones("avx2", "popcnt", "default")))
#else
#define FOR_ALL_COUNTERS
#endif

inline int count(Word word) {
#if defined(__GNUC__)
  return __builtin_popcountll(word);
#else
  word -= (word >> 1) & 0x5555555555555555;
  word = (word & 0x3333333333333333) + ((word >> 2) & 0x3333333333333333);
  return static_cast<int>((((word + (word >> 4)) & 0x0f0f0f0f0f0f0f0f) * 0x0101010101010101) >> 56);
#endif
}

FOR_ALL_COUNTERS
std::int64_t count_all(const Word* words, size_t n) {
  std::int64_t total = 0;
  for (size_t at = 0; at < n; ++at) total += count(words[at]);
  return total;
}

// How many bits each of many has in common with one, so many times, added to what is there.
FOR_ALL_COUNTERS
void add_common(const Word* one, const Word* many, size_t n, size_t size, std::int64_t times,
                double* out, size_t step) {
  for (size_t each = 0; each < size; ++each, many += n) {
    std::int64_t total = 0;
    for (size_t at = 0; at < n; ++at) total += count(one[at] & many[at]);
    out[each * step] += static_cast<double>(times * total);
  }
}

FOR_ALL_PROCESSORS
void join_known(char symbol, Word* first, const Word* second, size_t n) {
  if (symbol == '&')
    for (size_t at = 0; at < n; ++at) first[at] &= second[at];
  else if (symbol == '|')
    for (size_t at = 0; at < n; ++at) first[at] |= second[at];
  else
    for (size_t at = 0; at < n; ++at) first[at] ^= second[at];
}

// The same where some are unknown: a statement may hold where it holds or is unknown.
FOR_ALL_PROCESSORS
void join_some_unknown(char symbol, Word* holds, Word* unknown, const Word* its_holds,
                       const Word* its_unknown, size_t n) {
  for (size_t at = 0; at < n; ++at) {
    const Word may = holds[at] | unknown[at], it_may = its_holds[at] | its_unknown[at];
    if (symbol == '^') {
      unknown[at] |= its_unknown[at];
      holds[at] = (holds[at] ^ its_holds[at]) & ~unknown[at];
    } else {
      const bool both = symbol == '&';
      holds[at] = both ? holds[at] & its_holds[at] : holds[at] | its_holds[at];
      unknown[at] = (both ? may & it_may : may | it_may) & ~holds[at];
    }
  }
}

// For each byte of bits, a byte for each of them, in the order of memory.
std::array<Word, 256> spread_bytes() {
  std::array<Word, 256> found{};
  for (size_t byte = 0; byte < found.size(); ++byte) {
    std::uint8_t each[8];
    for (size_t bit = 0; bit < 8; ++bit) each[bit] = byte >> bit & 1;
    std::memcpy(&found[byte], each, sizeof each);
  }
  return found;
}

const std::array<Word, 256> kSpread = spread_bytes();

}  // namespace

Words all_rows(size_t rows) {
  Words all(words_of(rows), ~Word{0});
  if (rows % kWordRows) all.back() = (Word{1} << rows % kWordRows) - 1;
  return all;
}

void join_into(char symbol, Bits& first, const Bits& second) {
  const size_t n = first.holds.size();
  if (first.unknown.empty() && second.unknown.empty()) {
    join_known(symbol, first.holds.data(), second.holds.data(), n);
    return;
  }
  first.unknown.resize(n);
  const Words none(second.unknown.empty() ? n : 0);
  const Words& its_unknown = second.unknown.empty() ? none : second.unknown;
  join_some_unknown(symbol, first.holds.data(), first.unknown.data(), second.holds.data(),
                    its_unknown.data(), n);
}

bool parts_rows(const Bits& bits, const Words& all) {
  bool holds = false, fails = false;
  for (size_t at = 0; at < all.size() && !(holds && fails); ++at) {
    const Word unknown = bits.unknown.empty() ? 0 : bits.unknown[at];
    holds |= bits.holds[at] != 0;
    fails |= (bits.holds[at] | unknown) != all[at];
  }
  return holds && fails;
}

void write_values(const Bits& bits, size_t rows, Values& out) {
  out.resize(rows);
  for (size_t row = 0; row < rows; row += 8) {
    const size_t word = row / kWordRows, shift = row % kWordRows;
    Word eight = 2 * kSpread[bits.holds[word] >> shift & 0xff];
    if (!bits.unknown.empty()) eight += kSpread[bits.unknown[word] >> shift & 0xff];
    std::memcpy(&out[row], &eight, std::min<size_t>(8, rows - row));
  }
}

void spread_bits(const Words& words, size_t place, Words& bytes) {
  for (size_t at = 0; at < bytes.size(); ++at)
    bytes[at] |= kSpread[words[at / 8] >> at % 8 * 8 & 0xff] << place;
}

std::int64_t count_of(const Words& words) { return count_all(words.data(), words.size()); }

Words differing(const Bits& one, const Bits& other) {
  Words found(one.holds);
  for (size_t at = 0; at < found.size(); ++at) found[at] ^= other.holds[at];
  for (const auto* unknown : {&one.unknown, &other.unknown})
    for (size_t at = 0; at < unknown->size(); ++at) found[at] |= (*unknown)[at];
  if (!one.unknown.empty() && !other.unknown.empty())
    for (size_t at = 0; at < found.size(); ++at)
      found[at] &= ~(one.unknown[at] & other.unknown[at]);
  return found;
}

void BitMatrix::append(const Bits& bits) {
  holds_.insert(holds_.end(), bits.holds.begin(), bits.holds.end());
  if (!bits.unknown.empty() || !unknown_.empty()) {
    unknown_.resize(words_ * size_);
    unknown_.insert(unknown_.end(), bits.unknown.begin(), bits.unknown.end());
    unknown_.resize(words_ * (size_ + 1));
  }
  ++size_;
}

void BitMatrix::products_with(const Bits& one, double* out, size_t step) const {
  for (size_t each = 0; each < size_; ++each) out[each * step] = 0.0;
  const auto add = [&](const Words& words, const Words& its, std::int64_t times) {
    if (words.empty() || its.empty()) return;
    add_common(words.data(), its.data(), words_, size_, times, out, step);
  };
  add(one.holds, holds_, 4);
  add(one.holds, unknown_, 2);
  add(one.unknown, holds_, 2);
  add(one.unknown, unknown_, 1);
}

}  // namespace kernels
