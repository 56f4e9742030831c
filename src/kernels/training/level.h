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
  // As they are used, maybe rounded; (units, pairs). Of a pair the factors of xy, x + y and -1,
  // and of the derivatives by alpha; (pairs,).
  float *used_weight, *of_both, *of_each, *less, *turn, *slope;
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
    used_weight = memory.take(units * pairs);
    of_both = memory.take(pairs);
    of_each = memory.take(pairs);
    less = memory.take(pairs);
    turn = memory.take(pairs);
    slope = memory.take(pairs);
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

  // Compute the coefficients of the form. Within epsilon of 0 alpha has the derivatives that it
  // has at 0, where those of |b| on both sides cancel. This lets it cross.
  void prepare(bool snapped, bool single, float epsilon) {
    float *__restrict both_of = of_both, *__restrict each_of = of_each;
    float *__restrict less_of = less, *__restrict turn_of = turn, *__restrict slope_of = slope;
    for (size_t pair = 0; pair < pairs; ++pair) {
      const float used = snapped ? rounded(alpha[pair]) : alpha[pair];
      const float size = std::fabs(used), both = 1.0f / (1.0f + size);
      both_of[pair] = both;
      each_of[pair] = used * both;
      less_of[pair] = size * both;
      turn_of[pair] = size >= epsilon ? sign(used) : 0.0f;
      slope_of[pair] = size >= epsilon ? both * both : 1.0f;
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
    for (size_t unit = 0; unit < units; ++unit) {
      for (size_t i = 0; i + 1 < n; i += kFew) {
        const size_t row = unit * n + i;
        add_products({products + row * width + i + 1, width, 1}, inputs + (i + 1) * kBlock, kBlock,
                     factors + row * kBlock, kBlock, few_from(i), n_rows, n - i - 1);
      }
      float* __restrict own = sums + unit * kBlock;
      for (size_t at = 0; at < n_rows; ++at) own[at] = constant[unit];
      for (size_t i = 0; i < n; ++i) {
        const float* __restrict factor = factors + (unit * n + i) * kBlock;
        const float* __restrict input = inputs + i * kBlock;
        for (size_t at = 0; at < n_rows; ++at) own[at] += factor[at] * input[at];
      }
    }
  }

  // Add the gradients by the coefficients, those above the diagonal, given the ones by the sums.
  // Only `known_rows` are rows of the table; `n_rows` is filled up.
  void backward(size_t known_rows, size_t n_rows) {
    for (size_t row = 0; row < known_rows; ++row)
      for (size_t i = 0; i < n; ++i) rows[row * width + i] = inputs[i * kBlock + row];
    for (size_t unit = 0; unit < units; ++unit) {
      const float* __restrict gradient = by_sums + unit * kBlock;
      by_constant[unit] += sum_of(n_rows, [&](size_t at) { return gradient[at]; });
      for (size_t i = 0; i < n; ++i) {
        float* __restrict moment = moments + (unit * n + i) * kBlock;
        const float* __restrict input = inputs + i * kBlock;
        for (size_t at = 0; at < n_rows; ++at) moment[at] = gradient[at] * input[at];
      }
    }
    for (size_t unit = 0; unit < units; ++unit)
      for (size_t i = 0; i < n; i += kFew) {
        const size_t row = unit * n + i, first = (i + 1) / kAtOnce * kAtOnce;
        add_products({moments + row * kBlock, kBlock, 1}, rows + first, width,
                     by_products + row * width + first, width, few_from(i), width - first,
                     known_rows);
      }
  }

  // Compute the gradients by the inputs, after `backward`.
  void backward_to_inputs(size_t n_rows) {
    for (size_t i = 0; i < n; ++i) {
      float* __restrict own = by_inputs + i * kBlock;
      for (size_t at = 0; at < n_rows; ++at) own[at] = 0.0f;
      for (size_t unit = 0; unit < units; ++unit) {
        const float* __restrict factor = factors + (unit * n + i) * kBlock;
        const float* __restrict gradient = by_sums + unit * kBlock;
        for (size_t at = 0; at < n_rows; ++at) own[at] += gradient[at] * factor[at];
      }
    }
    for (size_t j = 0; j < n; j += kFew)
      for (size_t unit = 0; unit < units; ++unit)
        add_products({products + unit * n * width + j, 1, width}, moments + unit * n * kBlock,
                     kBlock, by_inputs + j * kBlock, kBlock, few_from(j), n_rows,
                     j + few_from(j) - 1);
  }

  // Compute the gradients by the parameters from those by the coefficients.
  void finish() {
    std::memset(by_alpha, 0, pairs * sizeof(float));
    for (size_t unit = 0; unit < units; ++unit) finish_unit(unit);
    for (size_t pair = 0; pair < pairs; ++pair) by_alpha[pair] *= slope[pair];
  }

 private:
  // Inputs that are multiplied at a time. Some of their cells are below the diagonal.
  static constexpr size_t kFew = 4;
  ALWAYS_INLINE size_t few_from(size_t i) const { return n - i < kFew ? n - i : kFew; }

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
    const float* __restrict own = used_weight + unit * pairs;
    float* __restrict of_inputs = linear + unit * n;
    std::memset(of_inputs, 0, n * sizeof(float));
    float of_constants = 0.0f;
    for (size_t i = 0, pair = 0; i < n; ++i) {
      float* __restrict cells = products + (unit * n + i) * width + i + 1;
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

  void finish_unit(size_t unit) {
    const float* cells = by_products + unit * n * width;
    const float by_one = by_constant[unit];
    for (size_t i = 0; i < n; ++i) by_linear[i] = cells[i * width + n + 1];  // times true
    by_linear[n] = -by_one;
    by_linear[n + 1] = by_one;
    for (size_t i = 0, pair = 0; i < n; pair += n + 1 - i, ++i) {
      const size_t at = unit * pairs + pair;
      finish_row(n + 1 - i, cells + i * width + i + 1, by_linear[i], by_linear + i + 1, by_one,
                 used_weight + at, pair, by_weight + at, by_alpha + pair);
    }
  }

  // The pairs of one input: `by_both` and `by_ends` are the gradients by the products with other
  // inputs and by these.
  ALWAYS_INLINE void finish_row(size_t others, const float* __restrict by_both, float by_input,
                                const float* __restrict by_ends, float by_one,
                                const float* __restrict own, size_t pair,
                                float* __restrict by_own, float* __restrict by_alphas) const {
    const float *__restrict both_of = of_both + pair, *__restrict each_of = of_each + pair;
    const float *__restrict less_of = less + pair, *__restrict turn_of = turn + pair;
    for (size_t at = 0; at < others; ++at) {
      const float each = by_input + by_ends[at];
      by_own[at] = by_both[at] * both_of[at] + each * each_of[at] - by_one * less_of[at];
      by_alphas[at] += own[at] * (each - (by_both[at] + by_one) * turn_of[at]);
    }
  }
};
