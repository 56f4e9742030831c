// Penalties of weights, and their gradients. Included once for each processor.

// Add the gradients of a unit's weights by the L1 penalty. Return their sum by size.
static float penalize_sizes(const float* weight, float* gradient, size_t pairs, float l1) {
  for (size_t pair = 0; pair < pairs; ++pair) gradient[pair] += l1 * sign(weight[pair]);
  return sum_of(pairs, [&](size_t pair) { return std::fabs(weight[pair]); });
}

// The number of literals, as in crisplogic.nn.LogicLayer.literals: a pair of inputs counts two
// times its greatest weight, which equal ones share, and an input alone counts in each unit.
// `greatest` and `shares` are memory for a value of each pair.
static float penalize_literals(const LevelStep& level, float penalty, float* greatest,
                               float* shares) {
  const size_t pairs = level.pairs;
  for (size_t pair = 0; pair < pairs; ++pair) greatest[pair] = 0.0f, shares[pair] = 0.0f;
  for (size_t unit = 0; unit < level.units; ++unit) {
    const float* own = level.weight + unit * pairs;
    for (size_t pair = 0; pair < pairs; ++pair) {
      const float size = std::fabs(own[pair]);
      const float ties = shares[pair] + (size == greatest[pair] ? 1.0f : 0.0f);
      shares[pair] = size > greatest[pair] ? 1.0f : ties;
      greatest[pair] = size > greatest[pair] ? size : greatest[pair];
    }
  }
  float of_pairs = sum_of(pairs, [&](size_t pair) { return 2.0f * greatest[pair]; });
  for (size_t pair = 0; pair < pairs; ++pair) shares[pair] = 2.0f * penalty / shares[pair];
  float alone = 0.0f;
  for (size_t i = 0, pair = 0; i < level.n; ++i) {  // the last two pairs of every input
    pair += level.n - i + 1;
    for (size_t constant = pair - 2; constant < pair; ++constant) {
      of_pairs -= 2.0f * greatest[constant];
      for (size_t unit = 0; unit < level.units; ++unit)
        alone += std::fabs(level.weight[unit * pairs + constant]);
      greatest[constant] = -1.0f;  // no pair of inputs: every weight counts
      shares[constant] = penalty;
    }
  }
  for (size_t unit = 0; unit < level.units; ++unit) {
    const float* own = level.weight + unit * pairs;
    float* gradient = level.by_weight + unit * pairs;
    for (size_t pair = 0; pair < pairs; ++pair) {
      const bool counts = greatest[pair] < 0.0f || std::fabs(own[pair]) == greatest[pair];
      gradient[pair] += counts ? shares[pair] * sign(own[pair]) : 0.0f;
    }
  }
  return of_pairs + alone;
}
