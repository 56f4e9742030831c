// Losses of rows, and their gradients by the scores. Included once for each processor.

// The targets of the rows of a block, and how much each row counts: 0 for rows that fill it up.
struct Targets {
  std::int32_t classes[kBlock];
  float numbers[kBlock], shares[kBlock];
};

static double total_of(const float* losses, size_t n_rows) {
  double sum = 0.0;
  for (size_t at = 0; at < n_rows; ++at) sum += losses[at];
  return sum;
}

// Scores become gradients, in place; (units, kBlock). All return the sum of the losses, and add
// the gradient by the logarithm of the scale.

// The negative log probability of the right class. `logits` is memory of the size of scores.
static double cross_entropy(float* __restrict scores, float* __restrict logits, size_t units,
                            size_t n_rows, float scale, const Targets& targets,
                            float& by_log_scale) {
  float most[kBlock], total[kBlock], losses[kBlock];
  for (size_t at = 0; at < n_rows; ++at) most[at] = scores[at] * scale, total[at] = 0.0f;
  for (size_t unit = 0; unit < units; ++unit) {
    const float* own = scores + unit * kBlock;
    float* __restrict logit = logits + unit * kBlock;
    for (size_t at = 0; at < n_rows; ++at) {
      logit[at] = own[at] * scale;
      most[at] = logit[at] > most[at] ? logit[at] : most[at];
    }
  }
  for (size_t unit = 0; unit < units; ++unit) {
    float* __restrict own = scores + unit * kBlock;
    const float* logit = logits + unit * kBlock;
    for (size_t at = 0; at < n_rows; ++at) {
      own[at] = exponential(logit[at] - most[at]);
      total[at] += own[at];
    }
  }
  for (size_t at = 0; at < n_rows; ++at)
    losses[at] = logits[targets.classes[at] * kBlock + at] - most[at];
  for (size_t at = 0; at < n_rows; ++at) {
    losses[at] = (logarithm(total[at]) - losses[at]) * targets.shares[at];
    total[at] = 1.0f / total[at];
  }
  for (size_t unit = 0; unit < units; ++unit) {
    float* __restrict own = scores + unit * kBlock;
    const float* logit = logits + unit * kBlock;
    for (size_t at = 0; at < n_rows; ++at) {
      const float wanted = targets.classes[at] == static_cast<std::int32_t>(unit) ? 1.0f : 0.0f;
      own[at] = (own[at] * total[at] - wanted) * targets.shares[at];
    }
    by_log_scale += sum_of(n_rows, [&](size_t at) { return own[at] * logit[at]; });
    for (size_t at = 0; at < n_rows; ++at) own[at] *= scale;
  }
  return total_of(losses, n_rows);
}

// The paper's: half the squared error against 1 for the right class and -1 for the others.
static double squared_error(float* scores, size_t units, size_t n_rows, const Targets& targets) {
  float losses[kBlock] = {};
  for (size_t unit = 0; unit < units; ++unit) {
    float* own = scores + unit * kBlock;
    for (size_t at = 0; at < n_rows; ++at) {
      const bool right = targets.classes[at] == static_cast<std::int32_t>(unit);
      const float error = own[at] - (right ? 1.0f : -1.0f);
      losses[at] += error * error;
      own[at] = error * targets.shares[at];
    }
  }
  for (size_t at = 0; at < n_rows; ++at) losses[at] *= targets.shares[at] / 2.0f;
  return total_of(losses, n_rows);
}

// Half the squared error of a number; beyond `delta` it goes on as a straight line.
static double error_of_numbers(float* scores, size_t n_rows, float scale, float delta,
                               const Targets& targets, float& by_log_scale) {
  float losses[kBlock], of_scale[kBlock];
  for (size_t at = 0; at < n_rows; ++at) {
    const float logit = scores[at] * scale, error = logit - targets.numbers[at];
    const float inside = clamp(error, -delta, delta);
    losses[at] = std::fabs(inside) * (std::fabs(error) - std::fabs(inside) / 2.0f);
    losses[at] *= targets.shares[at];
    const float by_logit = inside * targets.shares[at];
    of_scale[at] = by_logit * logit;
    scores[at] = by_logit * scale;
  }
  by_log_scale += sum_of(n_rows, [&](size_t at) { return of_scale[at]; });
  return total_of(losses, n_rows);
}
