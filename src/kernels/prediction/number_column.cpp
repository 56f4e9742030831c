#include "number_column.h"

#include <algorithm>
#include <cstdlib>

// The second cache is near enough, and large enough for what is read next.
#if defined(__GNUC__)
#define PREFETCH(place) __builtin_prefetch(place, 0, 2)
#else
#define PREFETCH(place)
#endif

namespace kernels {

namespace {

// Memory is read in lines of so many bytes.
constexpr std::ptrdiff_t kLine = 64;

template <typename T>
double number_at(const char* place) {
  T value;
  std::memcpy(&value, place, sizeof value);  // it need not be aligned
  return static_cast<double>(value);
}

template <typename T>
inline void convert(const char* data, std::ptrdiff_t stride, size_t n, double* out) {
  if (stride == static_cast<std::ptrdiff_t>(sizeof(T))) {  // many at once
    for (size_t at = 0; at < n; ++at) out[at] = number_at<T>(data + at * sizeof(T));
    return;
  }
  constexpr size_t kUnrolled = 8;
  size_t at = 0;
  for (; at + kUnrolled <= n; at += kUnrolled, data += kUnrolled * stride)
    for (size_t each = 0; each < kUnrolled; ++each)
      out[at + each] = number_at<T>(data + static_cast<std::ptrdiff_t>(each) * stride);
  for (; at < n; ++at, data += stride) out[at] = number_at<T>(data);
}

FOR_ALL_PROCESSORS
void convert_floats(const char* data, std::ptrdiff_t stride, size_t n, double* out) {
  convert<float>(data, stride, n, out);
}

FOR_ALL_PROCESSORS
void convert_doubles(const char* data, std::ptrdiff_t stride, size_t n, double* out) {
  convert<double>(data, stride, n, out);
}

FOR_ALL_PROCESSORS
void convert_long_integers(const char* data, std::ptrdiff_t stride, size_t n, double* out) {
  convert<std::int64_t>(data, stride, n, out);
}

}  // namespace

NumberColumn::Type NumberColumn::type_of(const char* format, Py_ssize_t size) {
  if (*format == '@' || *format == '=') ++format;
  if (!*format || format[1]) return Type::kNone;
  const bool is_signed = std::strchr("bhilqn", *format), is_unsigned = std::strchr("BHILQN", *format);
  switch (size) {
    case 1:
      return *format == '?' ? Type::kBool : is_signed ? Type::kInt8
             : is_unsigned ? Type::kUInt8 : Type::kNone;
    case 2:
      return is_signed ? Type::kInt16 : is_unsigned ? Type::kUInt16 : Type::kNone;
    case 4:
      return is_signed ? Type::kInt32 : is_unsigned ? Type::kUInt32
             : *format == 'f' ? Type::kFloat : Type::kNone;
    case 8:
      return is_signed ? Type::kInt64 : is_unsigned ? Type::kUInt64
             : *format == 'd' ? Type::kDouble : Type::kNone;
  }
  return Type::kNone;
}

bool NumberColumn::borrow(PyObject* object) {
  if (PyObject_GetBuffer(object, &view_, PyBUF_STRIDES | PyBUF_FORMAT)) return false;
  const char* format = view_.format ? view_.format : "B";
  type_ = type_of(format, view_.itemsize);
  if (type_ != Type::kNone && view_.ndim == 1) return true;
  PyErr_Format(PyExc_TypeError, "needed a column of numbers, got %d dimensions of format '%s'",
               view_.ndim, format);
  return false;
}

const double* NumberColumn::in_place(size_t first) const {
  const char* data = at(first);
  const bool is_aligned = reinterpret_cast<std::uintptr_t>(data) % alignof(double) == 0;
  const bool is_dense = view_.strides[0] == static_cast<Py_ssize_t>(sizeof(double));
  return type_ == Type::kDouble && is_dense && is_aligned ? reinterpret_cast<const double*>(data)
                                                          : nullptr;
}

void NumberColumn::prefetch(size_t first, size_t n) const {
  const std::ptrdiff_t stride = std::abs(view_.strides[0]);
  const size_t step = stride ? std::max<size_t>(1, kLine / stride) : n;
  for (size_t row = 0; row < n; row += step) PREFETCH(at(first + row));
}

bool NumberColumn::is_beside(const NumberColumn& other) const {
  return view_.strides[0] == other.view_.strides[0] && at(0) >= other.at(0) &&
         at(0) - other.at(0) < kLine;
}

void NumberColumn::read(size_t first, size_t n, double* out) const {
  const char* data = at(first);
  const std::ptrdiff_t stride = view_.strides[0];
  switch (type_) {
    case Type::kBool: return convert<bool>(data, stride, n, out);
    case Type::kInt8: return convert<std::int8_t>(data, stride, n, out);
    case Type::kInt16: return convert<std::int16_t>(data, stride, n, out);
    case Type::kInt32: return convert<std::int32_t>(data, stride, n, out);
    case Type::kInt64: return convert_long_integers(data, stride, n, out);
    case Type::kUInt8: return convert<std::uint8_t>(data, stride, n, out);
    case Type::kUInt16: return convert<std::uint16_t>(data, stride, n, out);
    case Type::kUInt32: return convert<std::uint32_t>(data, stride, n, out);
    case Type::kUInt64: return convert<std::uint64_t>(data, stride, n, out);
    case Type::kFloat: return convert_floats(data, stride, n, out);
    case Type::kDouble: return convert_doubles(data, stride, n, out);
    case Type::kNone: return;
  }
}

bool NumberColumns::borrow(PyObject* tuple, size_t rows) {
  for (Py_ssize_t at = 0; at < PyTuple_Size(tuple); ++at) {
    NumberColumn& column = columns_.emplace_back();
    if (!column.borrow(PyTuple_GetItem(tuple, at))) return false;
    if (column.size() != rows) {
      refuse("columns are not as long as the result");
      return false;
    }
    if (apart_.empty() || !column.is_beside(*apart_.back())) apart_.push_back(&column);
  }
  return true;
}

void NumberColumns::prefetch(size_t first, size_t n) const {
  constexpr size_t kFew = 8;
  for (size_t row = 0; row < n; row += kFew)
    for (const NumberColumn* each : apart_) each->prefetch(first + row, std::min(kFew, n - row));
}

}  // namespace kernels
