// The steps of training for processors with AVX2.
#include "variants.h"

#if WITH_VARIANTS
#pragma GCC target("avx2")
namespace kernels::avx2 {
#include "parts.h"
}
#endif
