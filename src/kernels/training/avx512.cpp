// The steps of training for processors with AVX512.
#include "variants.h"

#if WITH_VARIANTS
#pragma GCC target("avx512f,avx512vl,prefer-vector-width=256")
namespace kernels::avx512 {
#include "parts.h"
}
#endif
