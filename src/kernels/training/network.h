// Networks of logic that are to be trained, their rows, and how to train them.
//
// Plain pointers to memory of others: this is used by code for several processors, so nothing of
// it may be compiled for one of them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "arithmetic.h"

namespace kernels {

constexpr size_t kMostLevels = 16;
// Rows that a step computes at a time: few enough to stay in the cache.
constexpr size_t kBlock = 64;
// Rows and columns are filled up to a multiple of so many, which a processor computes at once.
constexpr size_t kAtOnce = 8;

ALWAYS_INLINE size_t filled_up(size_t n) { return (n + kAtOnce - 1) / kAtOnce * kAtOnce; }

// All pairs of inputs, and of each input with false and true.
ALWAYS_INLINE size_t pairs_of(size_t inputs) { return inputs * (inputs - 1) / 2 + 2 * inputs; }

// Parameters of one kind of all copies, one copy after the other. Adam has two moments of each;
// they are null for plain descent. There are none where `size`, that of one copy, is 0.
struct Parameters {
  float *values = nullptr, *means = nullptr, *squares = nullptr;
  size_t size = 0;
};

struct Level {
  size_t inputs = 0, units = 0;
  Parameters alpha, weight;  // (pairs,) and (units, pairs)
};

// As crisplogic.nn.LogicNetwork. With `memberships` 0 columns are degrees as they are.
struct Network {
  size_t copies = 0, columns = 0, memberships = 0, depth = 0;
  bool skip = false, snapped = false;
  float epsilon = 0.0f;
  Level levels[kMostLevels];
  Parameters log_scale, intercept, centre, log_width;
  float least_log_width = 0.0f, most_log_width = 0.0f;

  // Hidden units are single expressions, not sums.
  ALWAYS_INLINE bool is_single() const { return skip && snapped; }
};

// The rows of a window. A stride is the way from one copy to the next, 0 if copies share them.
struct TrainingRows {
  size_t n = 0;
  const float* inputs = nullptr;  // (n, columns)
  size_t inputs_stride = 0;
  const std::int64_t* classes = nullptr;  // (n,), or null
  const float* numbers = nullptr;         // (n,), or null
  size_t targets_stride = 0;
  const float* weights = nullptr;  // (n,), or null
  size_t weights_stride = 0;
  const float* penalty_factors = nullptr;  // (copies,), or null
};

enum class LossKind { cross_entropy, squared_error, mean_squared_error, huber };

// The steps of a pass over rows, in this order, in batches of one size but for the last.
struct Schedule {
  const std::int64_t* order = nullptr;  // (n,)
  size_t n = 0, batch = 1;
  LossKind loss = LossKind::cross_entropy;
  bool adam = true;
  double rate = 0.0, membership_rate = 0.0;
  float l1 = 0.0f, literal_penalty = 0.0f, delta = 0.0f;
  double beta1 = 0.0, beta2 = 0.0, adam_epsilon = 0.0;
  std::int64_t first_step = 0, max_steps = 1, adam_steps = 0;
};

}  // namespace kernels
