// All steps of a pass over rows, for one copy of a network. Included once for each processor.

class Steps {
 public:
  Steps(const Network& network, const TrainingRows& rows, const Schedule& schedule, size_t copy,
        Memory& memory)
      : network_(network), rows_(rows), schedule_(schedule), copy_(copy) {
    memberships_.allocate(network, memory);
    size_t most_pairs = 0, units = 0;
    for (size_t at = 0; at < network.depth; ++at) {
      levels_[at].allocate(network.levels[at], memory);
      if (levels_[at].pairs > most_pairs) most_pairs = levels_[at].pairs;
      units = levels_[at].units;
    }
    logits_ = memory.take(units * kBlock);
    greatest_ = memory.take(most_pairs);
    shares_ = memory.take(most_pairs);
  }

  // Take all steps. Return the mean of the objective before each step, by the rows of its batch.
  double pass() {
    begin();
    double objective = 0.0;
    std::int64_t number = 0;
    for (size_t first = 0; first < schedule_.n; first += schedule_.batch, ++number) {
      const size_t left = schedule_.n - first;
      const size_t n = left < schedule_.batch ? left : schedule_.batch;
      const double value = step(schedule_.order + first, n, number);
      objective += value * (static_cast<double>(n) / static_cast<double>(schedule_.n));
    }
    return objective;
  }

 private:
  LevelStep& last() { return levels_[network_.depth - 1]; }
  bool has_intercepts() const { return network_.intercept.size > 0; }
  bool has_ramps() const { return memberships_.ramps > 0; }

  void begin() {
    memberships_.begin(network_, copy_);
    keep_in_range(network_.centre, copy_, -1.0f, 1.0f);
    keep_in_range(network_.log_width, copy_, network_.least_log_width, network_.most_log_width);
    for (size_t at = 0; at < network_.depth; ++at) {
      const Level& level = network_.levels[at];
      levels_[at].begin(level, copy_);
      keep_in_range(level.alpha, copy_, -1.0f, 1.0f);
      keep_in_range(level.weight, copy_, -1.0f, 1.0f);
    }
  }

  double step(const std::int64_t* batch, size_t n, std::int64_t number) {
    memberships_.prepare();
    for (size_t at = 0; at < network_.depth; ++at) {
      const bool hidden = at + 1 < network_.depth;
      levels_[at].prepare(network_.snapped, hidden && network_.is_single(), network_.epsilon);
    }
    scale_ = exponential(network_.log_scale.values[copy_]);
    by_log_scale_ = 0.0f;
    double objective = 0.0;
    for (size_t first = 0; first < n; first += kBlock) {
      const size_t known = n - first < kBlock ? n - first : kBlock;
      objective += block(batch + first, known, filled_up(known), n);
    }
    for (size_t at = 0; at < network_.depth; ++at) levels_[at].finish();
    objective += penalize();
    descend_all(rates_at(schedule_, number));
    return objective;
  }

  // The losses of some rows; adds their gradients.
  double block(const std::int64_t* batch, size_t known, size_t n_rows, size_t of_rows) {
    const float* table = rows_.inputs + copy_ * rows_.inputs_stride;
    memberships_.gather(table, batch, known, n_rows);
    memberships_.forward(levels_[0].inputs, n_rows);
    for (size_t at = 0; at < network_.depth; ++at) {
      if (at) join(levels_[at - 1], levels_[at], n_rows);
      levels_[at].forward(n_rows);
    }
    gather_targets(batch, known, n_rows, of_rows);
    const double losses = loss(n_rows);
    for (size_t at = network_.depth; at-- > 0;) {
      levels_[at].backward(known, n_rows);
      if (at || has_ramps()) levels_[at].backward_to_inputs(n_rows);
      if (at) part(levels_[at - 1], levels_[at], n_rows);
    }
    if (has_ramps()) {
      if (network_.skip)
        for (size_t at = 1; at < network_.depth; ++at) add_degrees(levels_[at]);
      memberships_.backward(levels_[0].by_inputs, n_rows);
    }
    return losses;
  }

  // The inputs of a level: units of the one below it, and with `skip` the degrees as well.
  void join(const LevelStep& below, const LevelStep& level, size_t n_rows) {
    const bool plain = network_.is_single();
    for (size_t unit = 0; unit < below.units; ++unit) {
      const float* sums = below.sums + unit * kBlock;
      float* own = level.inputs + unit * kBlock;
      if (plain) std::memcpy(own, sums, n_rows * sizeof(float));
      else
        for (size_t at = 0; at < n_rows; ++at) own[at] = hyperbolic_tangent(sums[at]);
    }
    if (network_.skip)
      std::memcpy(level.inputs + below.units * kBlock, levels_[0].inputs,
                  levels_[0].n * kBlock * sizeof(float));
  }

  // The gradients by the sums of a level, from those by the inputs of the next one.
  void part(const LevelStep& below, const LevelStep& level, size_t n_rows) {
    const bool plain = network_.is_single();
    for (size_t unit = 0; unit < below.units; ++unit) {
      const float *value = level.inputs + unit * kBlock, *given = level.by_inputs + unit * kBlock;
      float* own = below.by_sums + unit * kBlock;
      if (plain) std::memcpy(own, given, n_rows * sizeof(float));
      else
        for (size_t at = 0; at < n_rows; ++at) own[at] = given[at] * (1.0f - value[at] * value[at]);
    }
  }

  void add_degrees(const LevelStep& level) {
    const float* given = level.by_inputs + (level.n - levels_[0].n) * kBlock;
    float* own = levels_[0].by_inputs;
    for (size_t at = 0; at < levels_[0].n * kBlock; ++at) own[at] += given[at];
  }

  void gather_targets(const std::int64_t* batch, size_t known, size_t n_rows, size_t of_rows) {
    const float share = 1.0f / static_cast<float>(of_rows);
    const size_t start = copy_ * rows_.targets_stride;
    for (size_t at = 0; at < n_rows; ++at) {
      const bool is_row = at < known;
      const size_t row = is_row ? static_cast<size_t>(batch[at]) : 0;
      if (rows_.classes)
        targets_.classes[at] = static_cast<std::int32_t>(rows_.classes[start + row]);
      else targets_.numbers[at] = rows_.numbers[start + row];
      const float weight =
          rows_.weights ? rows_.weights[copy_ * rows_.weights_stride + row] * share : share;
      targets_.shares[at] = is_row ? weight : 0.0f;
    }
  }

  // Turns the sums of the last level into gradients by them.
  double loss(size_t n_rows) {
    LevelStep& level = last();
    for (size_t unit = 0; unit < level.units; ++unit) {
      const float* sums = level.sums + unit * kBlock;
      float* scores = level.by_sums + unit * kBlock;
      const float intercept =
          has_intercepts() ? network_.intercept.values[copy_ * level.units + unit] : 0.0f;
      for (size_t at = 0; at < n_rows; ++at) scores[at] = sums[at] + intercept;
    }
    return loss_of(level.by_sums, level.units, n_rows);
  }

  double loss_of(float* scores, size_t units, size_t n_rows) {
    constexpr float kInfinite = std::numeric_limits<float>::infinity();
    switch (schedule_.loss) {
      case LossKind::cross_entropy:
        return cross_entropy(scores, logits_, units, n_rows, scale_, targets_, by_log_scale_);
      case LossKind::squared_error:
        return squared_error(scores, units, n_rows, targets_);
      default: {
        const bool huber = schedule_.loss == LossKind::huber;
        return error_of_numbers(scores, n_rows, scale_, huber ? schedule_.delta : kInfinite,
                                targets_, by_log_scale_);
      }
    }
  }

  double penalize() {
    const float factor = rows_.penalty_factors ? rows_.penalty_factors[copy_] : 1.0f;
    double penalties = 0.0;
    for (size_t at = 0; at < network_.depth; ++at) {
      const LevelStep& level = levels_[at];
      const float l1 = schedule_.l1 * factor, literal = schedule_.literal_penalty * factor;
      float sizes = 0.0f;
      for (size_t unit = 0; unit < level.units; ++unit)
        sizes += penalize_sizes(level.weight + unit * level.pairs,
                                level.by_weight + unit * level.pairs, level.pairs, l1);
      penalties += static_cast<double>(l1) * sizes;
      if (schedule_.literal_penalty > 0.0f)
        penalties += static_cast<double>(literal) *
                     penalize_literals(level, literal, greatest_, shares_);
    }
    return penalties;
  }

  void descend_all(const Rates& rates) {
    constexpr float kInfinite = std::numeric_limits<float>::infinity();
    const auto descend_in = [&](const Parameters& all, const float* gradient, float rate,
                                float low, float high) {
      descend(all, copy_, gradient, rates, rate, low, high);
    };
    for (size_t at = 0; at < network_.depth; ++at) {
      const Level& level = network_.levels[at];
      descend_in(level.alpha, levels_[at].by_alpha, rates.rate, -1.0f, 1.0f);
      descend_in(level.weight, levels_[at].by_weight, rates.rate, -1.0f, 1.0f);
    }
    descend_in(network_.log_scale, &by_log_scale_, rates.rate, -kInfinite, kInfinite);
    descend_in(network_.intercept, last().by_constant, rates.rate, -kInfinite, kInfinite);
    const float slow = rates.membership_rate;
    descend_in(network_.centre, memberships_.by_centre, slow, -1.0f, 1.0f);
    descend_in(network_.log_width, memberships_.by_log_width, slow, network_.least_log_width,
               network_.most_log_width);
  }

  const Network& network_;
  const TrainingRows& rows_;
  const Schedule& schedule_;
  size_t copy_;
  MembershipStep memberships_;
  LevelStep levels_[kMostLevels];
  Targets targets_;
  float *logits_, *greatest_, *shares_;
  float scale_ = 1.0f, by_log_scale_ = 0.0f;
};
