// Training steps of networks of logic, in single precision.
//
// The same steps as those of crisplogic.training.step. All that a step adds up is added in the
// order of the program, and no function of a library is used, so that a network comes out the
// same, bit for bit, on all processors and with all numbers of threads.
#pragma once

#include "network.h"

namespace kernels {

// What processors can do, the later the more.
enum class Processor { any, avx2, avx512 };

// The best that this one can do, of what was compiled.
Processor best_processor();

// Take all steps of a pass over rows, for some of the copies. Writes their mean objectives.
void train_copies(const Network& network, const TrainingRows& rows, const Schedule& schedule,
                  size_t first, size_t last, Processor processor, double* objectives);

}  // namespace kernels
