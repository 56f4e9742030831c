// The steps of training for processors with AVX512.
#include "training_variants.h"

#if WITH_VARIANTS
#pragma GCC target("avx512f,avx512vl,prefer-vector-width=256")
namespace kernels::avx512 {
#include "training_parts.h"
}
#endif
