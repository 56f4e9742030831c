// The parts of the steps, in the order in which they need each other. Included once for each
// processor, inside its namespace, after all headers of the library.
#include "training_products.h"
#include "training_level.h"
#include "training_loss.h"
#include "training_memberships.h"
#include "training_optimizer.h"
#include "training_penalties.h"
#include "training_steps.h"

double pass(const Network& network, const TrainingRows& rows, const Schedule& schedule,
            size_t copy, float* base) {
  Memory memory(base);
  return Steps(network, rows, schedule, copy, memory).pass();
}
