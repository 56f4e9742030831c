// Adam and plain gradient descent. Included once for each processor.

struct Rates {
  bool adam;
  float rate, membership_rate;  // with the correction of Adam's moments
  float gain1, keep2, gain2, epsilon;
};

static Rates rates_at(const Schedule& schedule, std::int64_t step) {
  if (!schedule.adam)
    return {false, static_cast<float>(schedule.rate),
            static_cast<float>(schedule.membership_rate), 0.0f, 0.0f, 0.0f, 0.0f};
  const double done = static_cast<double>(schedule.first_step + step) / schedule.max_steps;
  const double decay = cosine_decay(done);
  // Both moments start at 0. These factors correct the bias.
  const std::int64_t taken = schedule.adam_steps + step + 1;
  const double correction1 = 1.0 - power(schedule.beta1, taken);
  const double correction2 = std::sqrt(1.0 - power(schedule.beta2, taken));
  const double factor = decay * correction2 / correction1;
  return {true,
          static_cast<float>(schedule.rate * factor),
          static_cast<float>(schedule.membership_rate * factor),
          static_cast<float>(1.0 - schedule.beta1),
          static_cast<float>(schedule.beta2),
          static_cast<float>(1.0 - schedule.beta2),
          static_cast<float>(schedule.adam_epsilon * correction2)};
}

// Take a step with the parameters of a copy, and keep them in their range.
static void descend(const Parameters& all, size_t copy, const float* __restrict gradient,
                    const Rates& rates, float rate, float low, float high) {
  const size_t n = all.size;
  float* __restrict values = all.values + copy * n;
  if (!rates.adam) {
    for (size_t at = 0; at < n; ++at)
      values[at] = clamp(values[at] - rate * gradient[at], low, high);
    return;
  }
  float* __restrict means = all.means + copy * n;
  float* __restrict squares = all.squares + copy * n;
  const float gain1 = rates.gain1, keep2 = rates.keep2, gain2 = rates.gain2;
  const float epsilon = rates.epsilon;
  for (size_t at = 0; at < n; ++at) {
    const float mean = means[at] + (gradient[at] - means[at]) * gain1;
    const float square = squares[at] * keep2 + gradient[at] * gradient[at] * gain2;
    means[at] = mean;
    squares[at] = square;
    values[at] = clamp(values[at] - rate * (mean / (std::sqrt(square) + epsilon)), low, high);
  }
}

static void keep_in_range(const Parameters& all, size_t copy, float low, float high) {
  float* values = all.values + copy * all.size;
  for (size_t at = 0; at < all.size; ++at) values[at] = clamp(values[at], low, high);
}
