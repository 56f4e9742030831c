#include "number_column.h"

namespace kernels {

namespace {

template <typename T>
double number_at(const char* place) {
  T value;
  std::memcpy(&value, place, sizeof value);  // it need not be aligned
  return static_cast<double>(value);
}

template <typename T>
inline void convert(const char* data, std::ptrdiff_t stride, size_t n, double* out) {
  if (stride == static_cast<std::ptrdiff_t>(sizeof(T)))  // many at once
    for (size_t at = 0; at < n; ++at) out[at] = number_at<T>(data + at * sizeof(T));
  else
    for (size_t at = 0; at < n; ++at, data += stride) out[at] = number_at<T>(data);
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

const double* NumberColumn::read(size_t first, size_t n, double* memory) const {
  const std::ptrdiff_t stride = view_.strides[0];
  const char* data =
      static_cast<const char*>(view_.buf) + static_cast<std::ptrdiff_t>(first) * stride;
  switch (type_) {
    case Type::kBool: convert<bool>(data, stride, n, memory); break;
    case Type::kInt8: convert<std::int8_t>(data, stride, n, memory); break;
    case Type::kInt16: convert<std::int16_t>(data, stride, n, memory); break;
    case Type::kInt32: convert<std::int32_t>(data, stride, n, memory); break;
    case Type::kInt64: convert_long_integers(data, stride, n, memory); break;
    case Type::kUInt8: convert<std::uint8_t>(data, stride, n, memory); break;
    case Type::kUInt16: convert<std::uint16_t>(data, stride, n, memory); break;
    case Type::kUInt32: convert<std::uint32_t>(data, stride, n, memory); break;
    case Type::kUInt64: convert<std::uint64_t>(data, stride, n, memory); break;
    case Type::kFloat: convert_floats(data, stride, n, memory); break;
    case Type::kDouble: {
      const bool is_aligned = reinterpret_cast<std::uintptr_t>(data) % alignof(double) == 0;
      if (stride == sizeof(double) && is_aligned) return reinterpret_cast<const double*>(data);
      convert_doubles(data, stride, n, memory);
      break;
    }
    case Type::kNone: break;
  }
  return memory;
}

}  // namespace kernels
