// Exponential, logarithm and tanh of floats in plain arithmetic: the same bits on all processors.
//
// Those of a C library differ from one version and processor to the next. These have an error of
// at most 1.4 units in the last place. They hold no branch, so that loops over them are
// vectorized. The polynomials are those of Cephes (Moshier, 1992).
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#if defined(__GNUC__)
#define ALWAYS_INLINE inline __attribute__((always_inline))
#elif defined(_MSC_VER)
#define ALWAYS_INLINE __forceinline
#else
#define ALWAYS_INLINE inline
#endif

namespace kernels {

ALWAYS_INLINE std::uint32_t bits_of(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

ALWAYS_INLINE float float_of(std::uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

ALWAYS_INLINE float clamp(float value, float low, float high) {  // NaN stays NaN
  value = value < low ? low : value;
  return value > high ? high : value;
}

ALWAYS_INLINE float sign(float value) {
  return (value > 0.0f ? 1.0f : 0.0f) - (value < 0.0f ? 1.0f : 0.0f);
}

// The nearest of -1, 0 and 1, for values from -1 to 1; halves become 0.
ALWAYS_INLINE float rounded(float value) {
  return (value > 0.5f ? 1.0f : 0.0f) - (value < -0.5f ? 1.0f : 0.0f);
}

// Infinite above 88, 0 below -87.
ALWAYS_INLINE float exponential(float x) {
  constexpr float kLog2e = 1.44269504f, kToInteger = 12582912.0f;  // 1.5 * 2^23
  constexpr float kLn2High = 0.693359375f, kLn2Low = -2.12194440e-4f;
  const float bounded = clamp(x, -87.0f, 88.0f);
  const float shifted = bounded * kLog2e + kToInteger;
  const float whole = shifted - kToInteger;
  const float r = (bounded - whole * kLn2High) - whole * kLn2Low;
  float p = 1.9875691500e-4f;
  p = p * r + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  p = (p * r) * r + r + 1.0f;
  const std::uint32_t power = (bits_of(shifted) - bits_of(kToInteger) + 127u) << 23;
  const float value = p * float_of(power);
  const float least = x < -87.0f ? 0.0f : value;
  constexpr float kInfinite = std::numeric_limits<float>::infinity();
  return x > 88.0f ? kInfinite : least;
}

// Of a positive number of normal size.
ALWAYS_INLINE float logarithm(float x) {
  // The exponent of x / sqrt(1/2), so that the rest lies around 1.
  const std::uint32_t exponent = (bits_of(x) - 0x3f3504f3u) & 0xff800000u;
  const float whole = static_cast<float>(static_cast<std::int32_t>(exponent) / (1 << 23));
  const float m = float_of(bits_of(x) - exponent) - 1.0f;
  const float z = m * m;
  float p = 7.0376836292e-2f;
  p = p * m - 1.1514610310e-1f;
  p = p * m + 1.1676998740e-1f;
  p = p * m - 1.2420140846e-1f;
  p = p * m + 1.4249322787e-1f;
  p = p * m - 1.6668057665e-1f;
  p = p * m + 2.0000714765e-1f;
  p = p * m - 2.4999993993e-1f;
  p = p * m + 3.3333331174e-1f;
  const float small = ((p * m) * z + whole * -2.12194440e-4f) - 0.5f * z;
  return (m + small) + whole * 0.693359375f;
}

ALWAYS_INLINE float hyperbolic_tangent(float x) {
  const float size = x < 0.0f ? -x : x;
  const float z = x * x;
  float p = -5.70498872745e-3f;
  p = p * z + 2.06390887954e-2f;
  p = p * z - 5.37397155531e-2f;
  p = p * z + 1.33314422036e-1f;
  p = p * z - 3.33332819422e-1f;
  const float near = x + x * (z * p);
  const float far = 1.0f - 2.0f / (exponential(size + size) + 1.0f);
  const float signed_far = x < 0.0f ? -far : far;
  return size < 0.625f ? near : signed_far;
}

// (1 + cos(pi x)) / 2 for x from 0 to 1, in double precision.
ALWAYS_INLINE double cosine_decay(double x) {
  constexpr double kHalfPi = 1.5707963267948966;
  const double z = kHalfPi * x * (kHalfPi * x);
  double sum = 1.0;  // Taylor's series of the cosine, from its last term on
  for (int n = 24; n > 0; n -= 2) sum = 1.0 - z / (n * (n - 1)) * sum;
  return sum * sum;
}

ALWAYS_INLINE double power(double base, std::int64_t exponent) {
  double product = 1.0;
  for (; exponent > 0; exponent /= 2, base *= base)
    if (exponent % 2) product *= base;
  return product;
}

}  // namespace kernels
