#include "training.h"

#include <new>

#include "variants.h"

namespace kernels {
namespace any {
#include "parts.h"

// How many floats of memory the steps need.
size_t memory_of(const Network& network) {
  Memory none(nullptr);
  const TrainingRows rows;
  const Schedule schedule;
  const Steps steps(network, rows, schedule, 0, none);
  return none.used();
}
}  // namespace any

namespace {

constexpr size_t kCacheLine = 64;

// Zeros that begin where a cache line does.
class Zeros {
 public:
  explicit Zeros(size_t n)
      : floats_(static_cast<float*>(
            ::operator new(n * sizeof(float), std::align_val_t(kCacheLine)))) {
    std::memset(floats_, 0, n * sizeof(float));
  }
  ~Zeros() { ::operator delete(floats_, std::align_val_t(kCacheLine)); }
  Zeros(const Zeros&) = delete;
  Zeros& operator=(const Zeros&) = delete;
  float* data() const { return floats_; }

 private:
  float* floats_;
};

Pass* pass_for(Processor processor) {
#if WITH_VARIANTS
  if (processor == Processor::avx512) return avx512::pass;
  if (processor == Processor::avx2) return avx2::pass;
#endif
  (void)processor;
  return any::pass;
}

}  // namespace

Processor best_processor() {
#if WITH_VARIANTS
  if (__builtin_cpu_supports("avx512vl")) return Processor::avx512;
  if (__builtin_cpu_supports("avx2")) return Processor::avx2;
#endif
  return Processor::any;
}

void train_copies(const Network& network, const TrainingRows& rows, const Schedule& schedule,
                  size_t first, size_t last, Processor processor, double* objectives) {
  Pass* const pass = pass_for(processor);
  const size_t needed = any::memory_of(network);
  for (size_t copy = first; copy < last; ++copy) {
    const Zeros memory(needed);
    objectives[copy] = pass(network, rows, schedule, copy, memory.data());
  }
}

}  // namespace kernels
