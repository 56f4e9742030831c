// A level of logic: a quadratic form and its gradients. Included once for each processor.
//
// With b = alpha / (1 + |alpha|) a pair is (1 - |b|) xy + b (x + y) - |b|. The sum of a unit over
// all pairs is a quadratic form of the inputs, as in crisplogic.nn.logic_layer. A matrix of pairs
// has a row for each input, and columns for all inputs, for false and for true. Cells that are not
// above its diagonal stay 0.

// Memory that is used again in every step.
class Memory {
 public:
  explicit Memory(float* base) : base_(base) {}
  // So many floats, where a cache line begins.
  float* take(size_t n) {
    float* own = base_ ? base_ + used_ : nullptr;
    used_ += (n + 15) / 16 * 16;
    return own;
  }
  size_t used() const { return used_; }

 private:
  float* base_;
  size_t used_ = 0;
};

struct LevelStep {
  size_t n, units, pairs, width;  // `width` of the rows of a matrix, filled up
  float *alpha, *weight;          // the parameters
  float *by_alpha, *by_weight;    // their gradients
  // As they are used, maybe rounded, and the factors of xy, x + y and -1; (pairs,).
  float *used_alpha, *used_weight, *of_both, *of_each, *less;
  float *products, *linear, *constant;           // (units, n, width), (units, n), (units,)
  float *by_products, *by_linear, *by_constant;  // the same; (units, n + 2); (units,)
  // For rows of a block: inputs (n, kBlock) and (kBlock, width); (units, n, kBlock) what inputs
  // are multiplied with, and inputs times gradients; (units, kBlock) sums; gradients by inputs.
  float *inputs, *rows, *factors, *moments, *sums, *by_sums, *by_inputs;

  void allocate(const Level& level, Memory& memory) {
    n = level.inputs;
    units = level.units;
    pairs = pairs_of(n);
    width = filled_up(n + 2);
    by_alpha = memory.take(pairs);
    by_weight = memory.take(units * pairs);
    used_alpha = memory.take(pairs);
    used_weight = memory.take(units * pairs);
    of_both = memory.take(pairs);
    of_each = memory.take(pairs);
    less = memory.take(pairs);
    products = memory.take(units * n * width);
    linear = memory.take(units * n);
    constant = memory.take(units);
    by_products = memory.take(units * n * width);
    by_linear = memory.take(n + 2);
    by_constant = memory.take(units);
    inputs = memory.take(n * kBlock);
    rows = memory.take(kBlock * width);
    factors = memory.take(units * n * kBlock);
    moments = memory.take(units * n * kBlock);
    sums = memory.take(units * kBlock);
    by_sums = memory.take(units * kBlock);
    by_inputs = memory.take(n * kBlock);
  }

  void begin(const Level& level, size_t copy) {
    alpha = level.alpha.values + copy * pairs;
    weight = level.weight.values + copy * units * pairs;
    for (size_t row = 0; row < kBlock; ++row) {
      rows[row * width + n] = -1.0f;
      rows[row * width + n + 1] = 1.0f;
    }
  }

  // Compute the coefficients of the form.
  void prepare(bool snapped, bool single) {
    for (size_t pair = 0; pair < pairs; ++pair) {
      const float used = snapped ? rounded(alpha[pair]) : alpha[pair];
      const float size = std::fabs(used), both = 1.0f / (1.0f + size);
      used_alpha[pair] = used;
      of_both[pair] = both;
      of_each[pair] = used * both;
      less[pair] = size * both;
    }
    for (size_t unit = 0; unit < units; ++unit) {
      choose_weights(unit, snapped, single);
      prepare_unit(unit);
    }
    std::memset(by_products, 0, units * n * width * sizeof(float));
    std::memset(by_constant, 0, units * sizeof(float));
  }

  // Compute the sums of all units for some rows, a number that is filled up.
  void forward(size_t n_rows) {
    for (size_t row = 0; row < units * n; ++row)
      for (size_t at = 0; at < n_rows; ++at) factors[row * kBlock + at] = linear[row];
    for (size_t i = 0; i + 1 < n; ++i)
      add_products({products + i * width + i + 1, n * width, 1}, inputs + (i + 1) * kBlock, kBlock,
                   factors + i * kBlock, n * kBlock, units, n_rows, n - i - 1);
    for (size_t unit = 0; unit < units; ++unit) {
      float* own = sums + unit * kBlock;
      for (size_t at = 0; at < n_rows; ++at) own[at] = constant[unit];
      for (size_t i = 0; i < n; ++i) {
        const float* factor = factors + (unit * n + i) * kBlock;
        const float* input = inputs + i * kBlock;
        for (size_t at = 0; at < n_rows; ++at) own[at] += factor[at] * input[at];
      }
    }
  }

  // Add the gradients by the coefficients, given those by the sums. `n_rows` is filled up.
  void backward(size_t known_rows, size_t n_rows) {
    for (size_t row = 0; row < known_rows; ++row)
      for (size_t i = 0; i < n; ++i) rows[row * width + i] = inputs[i * kBlock + row];
    for (size_t unit = 0; unit < units; ++unit) {
      const float* gradient = by_sums + unit * kBlock;
      by_constant[unit] += sum_of(n_rows, [&](size_t at) { return gradient[at]; });
      for (size_t i = 0; i < n; ++i) {
        float* moment = moments + (unit * n + i) * kBlock;
        const float* input = inputs + i * kBlock;
        for (size_t at = 0; at < n_rows; ++at) moment[at] = gradient[at] * input[at];
      }
    }
    for (size_t i = 0; i < n; ++i) {
      const size_t first = (i + 1) / kAtOnce * kAtOnce;
      add_products({moments + i * kBlock, n * kBlock, 1}, rows + first, width,
                   by_products + i * width + first, n * width, units, width - first, known_rows);
    }
  }

  // Compute the gradients by the inputs, after `backward`.
  void backward_to_inputs(size_t n_rows) {
    for (size_t i = 0; i < n; ++i) {
      float* own = by_inputs + i * kBlock;
      for (size_t at = 0; at < n_rows; ++at) own[at] = 0.0f;
      for (size_t unit = 0; unit < units; ++unit) {
        const float* factor = factors + (unit * n + i) * kBlock;
        const float* gradient = by_sums + unit * kBlock;
        for (size_t at = 0; at < n_rows; ++at) own[at] += gradient[at] * factor[at];
      }
    }
    for (size_t j = 1; j < n; j += 4) {
      const size_t few = n - j < 4 ? n - j : 4;
      for (size_t unit = 0; unit < units; ++unit)
        add_products({products + unit * n * width + j, 1, width}, moments + unit * n * kBlock,
                     kBlock, by_inputs + j * kBlock, kBlock, few, n_rows, j + few - 1);
    }
  }

  // Compute the gradients by the parameters from those by the coefficients.
  void finish(float epsilon) {
    std::memset(by_alpha, 0, pairs * sizeof(float));
    for (size_t unit = 0; unit < units; ++unit) finish_unit(unit, epsilon);
    for (size_t pair = 0; pair < pairs; ++pair)
      by_alpha[pair] *= is_far(pair, epsilon) ? of_both[pair] * of_both[pair] : 1.0f;
  }

 private:
  // Within epsilon of 0 alpha has the gradient that it has at 0, which lets it cross.
  ALWAYS_INLINE bool is_far(size_t pair, float epsilon) const {
    return std::fabs(used_alpha[pair]) >= epsilon;
  }

  void choose_weights(size_t unit, bool snapped, bool single) {
    const float* own = weight + unit * pairs;
    float* used = used_weight + unit * pairs;
    if (single) {  // the sign of the greatest one by size
      size_t greatest = 0;
      for (size_t pair = 1; pair < pairs; ++pair)
        if (std::fabs(own[pair]) > std::fabs(own[greatest])) greatest = pair;
      std::memset(used, 0, pairs * sizeof(float));
      used[greatest] = sign(own[greatest]);
      return;
    }
    for (size_t pair = 0; pair < pairs; ++pair)
      used[pair] = snapped ? rounded(own[pair]) : own[pair];
  }

  void prepare_unit(size_t unit) {
    const float* own = used_weight + unit * pairs;
    float* of_inputs = linear + unit * n;
    std::memset(of_inputs, 0, n * sizeof(float));
    float of_constants = 0.0f;
    for (size_t i = 0, pair = 0; i < n; ++i) {
      float* cells = products + (unit * n + i) * width + i + 1;
      const size_t others = n - i - 1;
      float each = 0.0f;
      for (size_t j = 0; j < others; ++j) {
        cells[j] = own[pair + j] * of_both[pair + j];
        const float term = own[pair + j] * of_each[pair + j];
        of_inputs[i + 1 + j] += term;
        each += term;
      }
      pair += others + 2;
      const size_t with_false = pair - 2, with_true = pair - 1;
      const float of_false = own[with_false] * of_each[with_false];
      const float of_true = own[with_true] * of_each[with_true];
      each += of_false + of_true;
      of_inputs[i] += each + own[with_true] * of_both[with_true];
      of_inputs[i] -= own[with_false] * of_both[with_false];
      of_constants += of_true - of_false;
    }
    constant[unit] =
        of_constants - sum_of(pairs, [&](size_t pair) { return own[pair] * less[pair]; });
  }

  void finish_unit(size_t unit, float epsilon) {
    const float* own = used_weight + unit * pairs;
    float* by_own = by_weight + unit * pairs;
    const float* cells = by_products + unit * n * width;
    const float constant_gradient = by_constant[unit];
    for (size_t i = 0; i < n; ++i) by_linear[i] = cells[i * width + n + 1];  // times true
    by_linear[n] = -constant_gradient;
    by_linear[n + 1] = constant_gradient;
    for (size_t i = 0, pair = 0; i < n; ++i, cells += width) {
      for (size_t j = i + 1; j < n + 2; ++j, ++pair) {
        const float both = cells[j], each = by_linear[i] + by_linear[j];
        by_own[pair] =
            both * of_both[pair] + each * of_each[pair] - constant_gradient * less[pair];
        const float turn = is_far(pair, epsilon) ? sign(used_alpha[pair]) : 0.0f;
        by_alpha[pair] += own[pair] * (each - (both + constant_gradient) * turn);
      }
    }
  }
};
