#include "linear_scores.h"

#include <algorithm>

#include "arrays.h"

namespace kernels {

namespace {

constexpr size_t kGroup = 8;

// An entry for each way in which the bits of a group are set.
// Shape: (members, wide) to (2 ** members, wide).
FOR_ALL_PROCESSORS
void write_table(const double* points, size_t members, size_t wide, double* table) {
  for (size_t pattern = 1; pattern < size_t{1} << members; ++pattern) {
    const double* own = points + lowest_bit(pattern) * wide;
    const double* others = table + (pattern & (pattern - 1)) * wide;
    for (size_t at = 0; at < wide; ++at) table[pattern * wide + at] = others[at] + own[at];
  }
}

FOR_ALL_PROCESSORS
void add_entries(const std::uint8_t* patterns, const double* table, size_t wide, size_t n,
                 double* out) {
  if (wide == 1)
    for (size_t row = 0; row < n; ++row) out[row] += table[patterns[row]];
  else
    for (size_t row = 0; row < n; ++row) {
      const double* entry = table + patterns[row] * wide;
      double* own = out + row * wide;
      for (size_t from = 0; from < wide; from += kWide)
        for (size_t at = from; at < from + kWide; ++at) own[at] += entry[at];
    }
}

}  // namespace

void RowPatterns::append(const Bits& bits) {
  append(bits.holds, size_, 1.0);
  if (!bits.unknown.empty()) append(bits.unknown, size_, 0.5);
  ++size_;
}

void RowPatterns::append(const Words& words, size_t statement, double share) {
  const size_t place = members_.size() % kGroup;
  if (!place && !members_.empty()) patterns_.emplace_back(words.size() * kGroup);
  members_.push_back({statement, share});
  spread_bits(words, place, patterns_.back());
}

std::vector<double> RowPatterns::scores(const std::vector<double>& points, size_t wide) const {
  std::vector<double> found(rows_ * wide), own(kGroup * wide), table((1 << kGroup) * wide);
  for (size_t group = 0; group < patterns_.size(); ++group) {
    const size_t count = std::min(kGroup, members_.size() - group * kGroup);
    for (size_t member = 0; member < count; ++member) {
      const auto& [statement, share] = members_[group * kGroup + member];
      for (size_t at = 0; at < wide; ++at)
        own[member * wide + at] = share * points[(statement + 1) * wide + at];
    }
    // The constant is a part of the first table.
    for (size_t at = 0; at < wide; ++at) table[at] = group ? 0.0 : points[at];
    write_table(own.data(), count, wide, table.data());
    add_entries(reinterpret_cast<const std::uint8_t*>(patterns_[group].data()), table.data(),
                wide, rows_, found.data());
  }
  return found;
}

}  // namespace kernels
