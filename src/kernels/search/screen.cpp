#include "screen.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "arrays.h"
#include "lanes.h"

namespace kernels {

namespace {

// Gains are compared with so many digits: the last ones differ with the order of sums.
constexpr double kDigits = 1e9;
// The greatest gain of so many at a time is computed first.
constexpr size_t kBlock = 32;

// The greatest gain of each block, and the greatest size of any.
FOR_ALL_PROCESSORS
double greatest_of_blocks(const double* gains, size_t n, double* blocks) {
  double sizes[kLanes] = {}, size = 0.0;
  for (size_t from = 0; from < n; from += kBlock) {
    const size_t to = std::min(n, from + kBlock);
    double lanes[kLanes];
    std::fill_n(lanes, kLanes, -INFINITY);
    size_t at = from;
    for (; at + kLanes <= to; at += kLanes)
      for (size_t lane = 0; lane < kLanes; ++lane) {
        const double gain = gains[at + lane], own = gain > -INFINITY ? std::abs(gain) : 0.0;
        lanes[lane] = gain > lanes[lane] ? gain : lanes[lane];
        sizes[lane] = own > sizes[lane] ? own : sizes[lane];
      }
    double best = *std::max_element(lanes, lanes + kLanes);
    for (; at < to; ++at) {
      best = std::max(best, gains[at]);
      if (gains[at] > -INFINITY) size = std::max(size, std::abs(gains[at]));
    }
    *blocks++ = best;
  }
  return std::max(size, *std::max_element(sizes, sizes + kLanes));
}

// What rows add to bins. Every second row adds to other bins, `size` numbers on: a sum need not
// wait for the one before it.
template <size_t kWidth>
FOR_ALL_PROCESSORS void add_to_bins(const std::uint8_t* places, const double* by_row, size_t rows,
                                    double* bins, size_t size) {
  for (size_t row = 0; row < rows; ++row) {
    double* bin = bins + row % 2 * size + places[row] * kWidth;
    for (size_t at = 0; at < kWidth; ++at) bin[at] += by_row[row * kWidth + at];
  }
}

FOR_ALL_PROCESSORS
void add_wide_to_bins(const std::uint8_t* places, const double* by_row, size_t rows, size_t width,
                      double* bins, size_t size) {
  constexpr size_t kSome = 4;
  for (size_t row = 0; row < rows; ++row) {
    double* bin = bins + row % 2 * size + places[row] * width;
    const double* own = by_row + row * width;
    size_t from = 0;
    for (; from + kSome <= width; from += kSome)
      for (size_t at = from; at < from + kSome; ++at) bin[at] += own[at];
    for (; from < width; ++from) bin[from] += own[from];
  }
}

void add_to_bins(const std::uint8_t* places, const double* by_row, size_t rows, size_t width,
                 double* bins, size_t size) {
  if (width == 1) add_to_bins<1>(places, by_row, rows, bins, size);
  else if (width == 2) add_to_bins<2>(places, by_row, rows, bins, size);
  else add_wide_to_bins(places, by_row, rows, width, bins, size);
}

}  // namespace

Screen::Screen(const Slope& slope)
    : slope_(slope), outputs_(slope.outputs), width_(slope.width()), total_(width_) {
  for (size_t row = 0; row < rows(); ++row)
    for (int at = 0; at < width_; ++at) total_[at] += of_row(row)[at];
}

double Screen::gain(const double* sums) const {
  const double all = std::max(total_[outputs_], kTiny);
  const double share = sums[outputs_] / all;
  const double spread = std::max(total_[outputs_] * share * (1 - share), kTiny);
  double gain = 0.0;
  for (int at = 0; at < outputs_; ++at) {
    const double centred = sums[at] - total_[at] * share;
    gain += std::isnan(unit()) ? centred * centred / (2 * spread)
                              : unit() * std::abs(centred) - unit() * unit() * spread / 2;
  }
  return gain;
}

Places greatest(const std::vector<double>& gains, size_t count, size_t from, size_t to) {
  if (from == to || !count) return {};
  std::vector<double> blocks((to - from + kBlock - 1) / kBlock);
  double scale = greatest_of_blocks(&gains[from], to - from, blocks.data());
  if (scale == 0.0) scale = 1.0;
  // So many blocks have a gain like this or a greater one, and so no lesser one is among the
  // greatest, unless it is equal once it is rounded.
  double least = -INFINITY;
  if (blocks.size() >= count) {
    std::vector<double> sorted(blocks);
    std::nth_element(sorted.begin(), sorted.begin() + count - 1, sorted.end(),
                     std::greater<double>());
    least = sorted[count - 1] - 2 * scale / kDigits;
  }
  std::vector<std::pair<double, size_t>> best;  // the negative of a gain, and its place
  for (size_t block = 0; block < blocks.size(); ++block) {
    if (!(blocks[block] >= least)) continue;
    const size_t first = from + block * kBlock, last = std::min(first + kBlock, to);
    for (size_t at = first; at < last; ++at)
      if (gains[at] >= least && gains[at] > -INFINITY)
        best.emplace_back(-std::nearbyint(gains[at] / scale * kDigits), at);
  }
  const size_t kept = std::min(count, best.size());
  std::partial_sort(best.begin(), best.begin() + kept, best.end());
  Places places;
  for (size_t at = 0; at < kept; ++at) places.push_back(best[at].second);
  return places;
}

void add_up(const double* bins, size_t stride, double* out, size_t step, size_t count,
            size_t width) {
  for (size_t at = 0; at < width; ++at) {
    double sum = 0.5 * bins[(count + 1) * stride + at];
    for (size_t number = count; number-- > 0;) {
      sum += bins[(number + 1) * stride + at];
      out[number * step + at] = sum;
    }
  }
}

Sums sums_of_literals(const Rows& rows, const double* by_row, size_t width) {
  Sums found(rows.coarse().size() * width), bins;
  for (const auto& column : rows.coarse_columns()) {
    const size_t size = (column.count + 2) * width;
    bins.assign(2 * size, 0.0);
    add_to_bins(column.bins.data(), by_row, column.bins.size(), width, bins.data(), size);
    for (size_t at = 0; at < size; ++at) bins[at] += bins[size + at];
    add_up(bins.data(), width, &found[column.first * width], width, column.count, width);
  }
  return found;
}

}  // namespace kernels
