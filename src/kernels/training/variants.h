// The steps as they were compiled for several processors: the same source, the same results.
//
// Functions of this kind cannot be compiled by FOR_ALL_PROCESSORS: vectors of floats are divided
// into what a processor has before a compiler makes the clones.
#pragma once

#include "network.h"

#if defined(__x86_64__) && defined(__linux__) && defined(__GNUC__) && !defined(__clang__)
#define WITH_VARIANTS 1
#else
#define WITH_VARIANTS 0
#endif

namespace kernels {

// One pass for one copy; see Steps::pass. `memory` holds zeros.
using Pass = double(const Network&, const TrainingRows&, const Schedule&, size_t copy,
                    float* memory);

#if WITH_VARIANTS
namespace avx2 {
Pass pass;
}
namespace avx512 {
Pass pass;
}
#endif

}  // namespace kernels
