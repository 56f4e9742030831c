// Memberships: the paper's, and ramps that are learned. Included once for each processor.

struct MembershipStep {
  size_t columns, ramps;               // `ramps` is 0 for the paper's memberships
  float *centre, *log_width;           // the parameters
  float *by_centre, *by_log_width;     // their gradients
  float *steepness, *values, *slopes;  // (ramps,), (columns, kBlock), (ramps, kBlock)

  void allocate(const Network& network, Memory& memory) {
    columns = network.columns;
    ramps = columns * network.memberships;
    by_centre = memory.take(ramps);
    by_log_width = memory.take(ramps);
    steepness = memory.take(ramps);
    values = memory.take(columns * kBlock);
    slopes = memory.take(ramps * kBlock);
  }

  void begin(const Network& network, size_t copy) {
    centre = network.centre.values + copy * ramps;
    log_width = network.log_width.values + copy * ramps;
  }

  void prepare() {
    std::memset(by_centre, 0, ramps * sizeof(float));
    std::memset(by_log_width, 0, ramps * sizeof(float));
    for (size_t ramp = 0; ramp < ramps; ++ramp) steepness[ramp] = exponential(-log_width[ramp]);
  }

  // Copy some rows of a table, and fill them up with 0. Shape: `rows` (known,).
  void gather(const float* table, const std::int64_t* rows, size_t known, size_t n_rows) {
    for (size_t at = 0; at < known; ++at) {
      const float* row = table + static_cast<size_t>(rows[at]) * columns;
      for (size_t column = 0; column < columns; ++column)
        values[column * kBlock + at] = row[column];
    }
    for (size_t at = known; at < n_rows; ++at)
      for (size_t column = 0; column < columns; ++column) values[column * kBlock + at] = 0.0f;
  }

  // Write the degrees of the gathered rows. A missing value, NaN, is unknown.
  void forward(float* degrees, size_t n_rows) {
    if (!ramps) std::memcpy(degrees, values, columns * kBlock * sizeof(float));
    for (size_t ramp = 0; ramp < ramps; ++ramp) {
      const float* column = values + ramp % columns * kBlock;
      float *own = degrees + ramp * kBlock, *slope = slopes + ramp * kBlock;
      const float middle = centre[ramp], steep = steepness[ramp];
      for (size_t at = 0; at < n_rows; ++at) {
        const float value = (column[at] - middle) * steep;
        const float degree = clamp(value, -1.0f, 1.0f);
        own[at] = value != value ? 0.0f : degree;
        slope[at] = value != value ? 2.0f : value;  // beyond its end, where it has no slope
      }
    }
  }

  void backward(const float* by_degrees, size_t n_rows) {
    for (size_t ramp = 0; ramp < ramps; ++ramp) {
      const float *own = by_degrees + ramp * kBlock, *slope = slopes + ramp * kBlock;
      const auto rising = [&](size_t at) {
        return std::fabs(slope[at]) <= 1.0f ? own[at] : 0.0f;
      };
      by_centre[ramp] -= steepness[ramp] * sum_of(n_rows, rising);
      by_log_width[ramp] -= sum_of(n_rows, [&](size_t at) { return rising(at) * slope[at]; });
    }
  }
};
