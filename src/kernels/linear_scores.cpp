#include "linear_scores.h"

#include <algorithm>
#include <cstring>

#include "arrays.h"

namespace kernels {

namespace {

constexpr size_t kGroup = 8, kPatterns = 256, kBlock = 64;

// The entries of a table for each way in which the bits of a group are set.
void write_table(const std::vector<double>& points, size_t outputs, std::vector<double>& table) {
  table.assign(kPatterns * outputs, 0.0);
  for (size_t pattern = 1; pattern < kPatterns; ++pattern) {
    const size_t lowest = lowest_bit(pattern), others = pattern & (pattern - 1);
    for (size_t at = 0; at < outputs; ++at)
      table[pattern * outputs + at] = table[others * outputs + at] + points[lowest * outputs + at];
  }
}

FOR_ALL_PROCESSORS
void add_entries(const std::uint8_t* patterns, const double* table, size_t outputs, size_t n,
                 double* out) {
  for (size_t row = 0; row < n; ++row) {
    const double* entry = table + patterns[row] * outputs;
    for (size_t at = 0; at < outputs; ++at) out[row * outputs + at] += entry[at];
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
  if (!place) patterns_.emplace_back(words.size() * kGroup);
  members_.push_back({statement, share});
  spread_bits(words, place, patterns_.back());
}

std::vector<double> RowPatterns::scores(const std::vector<double>& base,
                                        const std::vector<double>& points) const {
  const size_t outputs = base.size(), groups = patterns_.size();
  std::vector<std::vector<double>> tables(groups);
  for (size_t group = 0; group < groups; ++group) {
    std::vector<double> own(kGroup * outputs);
    for (size_t at = 0; at < kGroup && group * kGroup + at < members_.size(); ++at) {
      const auto& [statement, share] = members_[group * kGroup + at];
      for (size_t output = 0; output < outputs; ++output)
        own[at * outputs + output] = share * points[statement * outputs + output];
    }
    write_table(own, outputs, tables[group]);
  }
  std::vector<double> found(outputs * rows_), block(kBlock * outputs);
  for (size_t from = 0; from < rows_; from += kBlock) {
    const size_t count = std::min(kBlock, rows_ - from);
    for (size_t row = 0; row < count; ++row)
      std::copy(base.begin(), base.end(), &block[row * outputs]);
    for (size_t group = 0; group < groups; ++group)
      add_entries(reinterpret_cast<const std::uint8_t*>(patterns_[group].data()) + from,
                  tables[group].data(), outputs, count, block.data());
    for (size_t output = 0; output < outputs; ++output)
      for (size_t row = 0; row < count; ++row)
        found[output * rows_ + from + row] = block[row * outputs + output];
  }
  return found;
}

}  // namespace kernels
