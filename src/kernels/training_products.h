// Sums of products, several at once. Included once for each processor, inside its namespace.
//
// Every sum is added in the order of its terms, however many sums are computed at once.

#if defined(__GNUC__)
typedef float Floats __attribute__((vector_size(kAtOnce * sizeof(float))));
#else
struct Floats {
  float each[kAtOnce];
};
static ALWAYS_INLINE Floats operator*(float factor, const Floats& values) {
  Floats products;
  for (size_t at = 0; at < kAtOnce; ++at) products.each[at] = factor * values.each[at];
  return products;
}
static ALWAYS_INLINE Floats& operator+=(Floats& sums, const Floats& terms) {
  for (size_t at = 0; at < kAtOnce; ++at) sums.each[at] += terms.each[at];
  return sums;
}
#endif

// Values in memory: from one row to the next, and from one term of a sum to the next.
struct Factors {
  const float* first;
  size_t row, term;
};

// sums[row][column] += factors[row][term] * values[term][column], for a few rows and columns.
template <int kRows, int kGroups>
static ALWAYS_INLINE void add_tile(Factors factors, const float* values, size_t values_row,
                                   float* sums, size_t sums_row, size_t terms) {
  Floats own[kRows][kGroups];
  for (int row = 0; row < kRows; ++row)
    std::memcpy(&own[row], sums + row * sums_row, sizeof own[row]);
  for (size_t term = 0; term < terms; ++term) {
    Floats of_term[kGroups];
    std::memcpy(&of_term, values + term * values_row, sizeof of_term);
    for (int row = 0; row < kRows; ++row) {
      const float factor = factors.first[row * factors.row + term * factors.term];
      for (int group = 0; group < kGroups; ++group) own[row][group] += factor * of_term[group];
    }
  }
  for (int row = 0; row < kRows; ++row)
    std::memcpy(sums + row * sums_row, &own[row], sizeof own[row]);
}

template <int kRows>
static inline void add_rows(Factors factors, const float* values, size_t values_row, float* sums,
                            size_t sums_row, size_t columns, size_t terms) {
  size_t at = 0;  // wide tiles first: more sums that do not wait for each other
  for (; at + 2 * kAtOnce <= columns; at += 2 * kAtOnce)
    add_tile<kRows, 2>(factors, values + at, values_row, sums + at, sums_row, terms);
  for (; at < columns; at += kAtOnce)
    add_tile<kRows, 1>(factors, values + at, values_row, sums + at, sums_row, terms);
}

// The same for any number of rows; the number of columns is filled up.
static inline void add_products(Factors factors, const float* values, size_t values_row,
                                float* sums, size_t sums_row, size_t rows, size_t columns,
                                size_t terms) {
  for (; rows >= 4; rows -= 4, factors.first += 4 * factors.row, sums += 4 * sums_row)
    add_rows<4>(factors, values, values_row, sums, sums_row, columns, terms);
  if (rows == 3) add_rows<3>(factors, values, values_row, sums, sums_row, columns, terms);
  if (rows == 2) add_rows<2>(factors, values, values_row, sums, sums_row, columns, terms);
  if (rows == 1) add_rows<1>(factors, values, values_row, sums, sums_row, columns, terms);
}

// The sum of `term(at)` in lanes, as in lanes.h, of floats.
template <typename Term>
static ALWAYS_INLINE float sum_of(size_t n, Term term) {
  float lanes[kAtOnce] = {};
  size_t at = 0;
  for (; at + kAtOnce <= n; at += kAtOnce)
    for (size_t lane = 0; lane < kAtOnce; ++lane) lanes[lane] += term(at + lane);
  float total = 0.0f;
  for (; at < n; ++at) total += term(at);
  for (const float lane : lanes) total += lane;
  return total;
}
