// Sums of products, several at once. Included once for each processor, inside its namespace.
//
// Every sum is added in the order of its terms, however many sums are computed at once.

// As many floats as a processor of this kind computes at once: with more of them in a vector,
// compilers keep them in memory.
#if defined(__AVX2__)
static constexpr size_t kInVector = 8;
#else
static constexpr size_t kInVector = 4;
#endif

#if defined(__GNUC__)
typedef float Floats __attribute__((vector_size(kInVector * sizeof(float))));
#else
struct Floats {
  float each[kInVector];
};
static ALWAYS_INLINE Floats operator*(float factor, const Floats& values) {
  Floats products;
  for (size_t at = 0; at < kInVector; ++at) products.each[at] = factor * values.each[at];
  return products;
}
static ALWAYS_INLINE Floats& operator+=(Floats& sums, const Floats& terms) {
  for (size_t at = 0; at < kInVector; ++at) sums.each[at] += terms.each[at];
  return sums;
}
#endif

static ALWAYS_INLINE Floats load(const float* from) {
  Floats values;
  std::memcpy(&values, from, sizeof values);
  return values;
}

// Values in memory: from one row to the next, and from one term of a sum to the next.
struct Factors {
  const float* first;
  size_t row, term;
};

// sums[row][column] += factors[row][term] * values[term][column], for a few rows and columns.
template <int kRows, int kVectors>
static ALWAYS_INLINE void add_tile(Factors factors, const float* values, size_t values_row,
                                   float* sums, size_t sums_row, size_t terms) {
  Floats own[kRows][kVectors];
  for (int row = 0; row < kRows; ++row)
    for (int at = 0; at < kVectors; ++at)
      own[row][at] = load(sums + row * sums_row + at * kInVector);
  for (size_t term = 0; term < terms; ++term) {
    Floats of_term[kVectors];
    for (int at = 0; at < kVectors; ++at)
      of_term[at] = load(values + term * values_row + at * kInVector);
    for (int row = 0; row < kRows; ++row) {
      const float factor = factors.first[row * factors.row + term * factors.term];
      for (int at = 0; at < kVectors; ++at) own[row][at] += factor * of_term[at];
    }
  }
  for (int row = 0; row < kRows; ++row)
    for (int at = 0; at < kVectors; ++at)
      std::memcpy(sums + row * sums_row + at * kInVector, &own[row][at], sizeof own[row][at]);
}

template <int kRows>
static inline void add_rows(Factors factors, const float* values, size_t values_row, float* sums,
                            size_t sums_row, size_t columns, size_t terms) {
  size_t at = 0;  // wide tiles first: more sums that do not wait for each other
  for (; at + 2 * kInVector <= columns; at += 2 * kInVector)
    add_tile<kRows, 2>(factors, values + at, values_row, sums + at, sums_row, terms);
  for (; at < columns; at += kInVector)
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
