// Losses of rows, and their gradients by the scores. Included once for each processor.

// The targets of the rows of a block, and how much each row counts: 0 for rows that fill it up.
struct Targets {
  std::int32_t classes[kBlock];
  float numbers[kBlock], shares[kBlock];
};

// Scores become gradients, in place; (units, kBlock). `logits` is memory of the same size.
// Returns the sum of the losses, and adds the gradient by the scale's logarithm.
static double cross_entropy(float* scores, float* logits, size_t units, size_t n_rows, float scale,
                            const Targets& targets, float& by_log_scale) {
  float most[kBlock], total[kBlock], right[kBlock];
  for (size_t at = 0; at < n_rows; ++at) most[at] = scale * scores[at], total[at] = 0.0f;
  for (size_t unit = 0; unit < units; ++unit) {
    float *of_unit = logits + unit * kBlock, *own = scores + unit * kBlock;
    for (size_t at = 0; at < n_rows; ++at) {
      of_unit[at] = own[at] * scale;
      most[at] = of_unit[at] > most[at] ? of_unit[at] : most[at];
    }
  }
  for (size_t unit = 0; unit < units; ++unit) {
    float *of_unit = logits + unit * kBlock, *own = scores + unit * kBlock;
    for (size_t at = 0; at < n_rows; ++at) {
      own[at] = exponential(of_unit[at] - most[at]);
      total[at] += own[at];
    }
  }
  for (size_t at = 0; at < n_rows; ++at)
    right[at] = logits[targets.classes[at] * kBlock + at] - most[at];
  double sum = 0.0;
  for (size_t at = 0; at < n_rows; ++at) {
    total[at] = 1.0f / total[at];
    most[at] = (-logarithm(total[at]) - right[at]) * targets.shares[at];
  }
  for (size_t at = 0; at < n_rows; ++at) sum += most[at];
  for (size_t unit = 0; unit < units; ++unit) {
    float* own = scores + unit * kBlock;
    for (size_t at = 0; at < n_rows; ++at) {
      const float wanted = targets.classes[at] == static_cast<std::int32_t>(unit) ? 1.0f : 0.0f;
      own[at] = (own[at] * total[at] - wanted) * targets.shares[at];
    }
    const float* of_unit = logits + unit * kBlock;
    by_log_scale += sum_of(n_rows, [&](size_t at) { return own[at] * of_unit[at]; });
    for (size_t at = 0; at < n_rows; ++at) own[at] *= scale;
  }
  return sum;
}

// The paper's: half the squared error against 1 for the right class and -1 for the others.
static double squared_error(float* scores, size_t units, size_t n_rows, const Targets& targets) {
  double sum = 0.0;
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
  for (size_t at = 0; at < n_rows; ++at) sum += losses[at] / 2.0f * targets.shares[at];
  return sum;
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
  double sum = 0.0;
  for (size_t at = 0; at < n_rows; ++at) sum += losses[at];
  return sum;
}
