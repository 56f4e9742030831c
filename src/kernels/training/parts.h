// The parts of the steps, in the order in which they need each other. Included once for each
// processor, inside its namespace, after all headers of the library.
#include "products.h"
#include "level.h"
#include "loss.h"
#include "memberships.h"
#include "optimizer.h"
#include "penalties.h"
#include "steps.h"

double pass(const Network& network, const TrainingRows& rows, const Schedule& schedule,
            size_t copy, float* base) {
  Memory memory(base);
  return Steps(network, rows, schedule, copy, memory).pass();
}
