// Arrays of numbers that Python objects lend for the time of a call.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

// Loops over many numbers are compiled for newer processors, too, where the compiler can do so.
// They compute the same there: no operation is fused, and no sum is reordered.
#if defined(__x86_64__) && defined(__linux__) && defined(__GNUC__) && !defined(__clang__)
#if __GNUC__ >= 12  // knows x86-64-v4: AVX-512 with its operations on bytes
#define FOR_ALL_PROCESSORS __attribute__((target_clones("arch=x86-64-v4", "avx2", "default")))
#else
#define FOR_ALL_PROCESSORS __attribute__((target_clones("avx512f", "avx2", "default")))
#endif
#else
#define FOR_ALL_PROCESSORS
#endif

namespace kernels {

// A contiguous array. Use `Array<const double>::convert` with "O&" of PyArg_ParseTuple; an array
// of numbers that are not const has to be writable.
template <typename T>
class Array {
 public:
  Array() = default;
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;
  ~Array() {
    if (view_.obj) PyBuffer_Release(&view_);
  }

  static int convert(PyObject* object, void* into) {
    auto* array = static_cast<Array*>(into);
    const int access = std::is_const_v<T> ? PyBUF_SIMPLE : PyBUF_WRITABLE;
    if (PyObject_GetBuffer(object, &array->view_, access | PyBUF_C_CONTIGUOUS | PyBUF_FORMAT))
      return 0;
    if (!array->has_type()) {
      PyErr_Format(PyExc_TypeError, "needed an array of %d-byte %s, got format '%s'",
                   static_cast<int>(sizeof(T)), kind() == 'f' ? "floats" : "integers",
                   array->view_.format ? array->view_.format : "B");
      return 0;
    }
    return 1;
  }

  T* data() const { return static_cast<T*>(view_.buf); }
  size_t size() const { return static_cast<size_t>(view_.len) / sizeof(T); }
  int dimensions() const { return view_.ndim; }
  size_t extent(int dimension) const { return static_cast<size_t>(view_.shape[dimension]); }
  T& operator[](size_t at) const { return data()[at]; }

 private:
  static constexpr char kind() { return std::is_floating_point_v<T> ? 'f' : 'i'; }

  bool has_type() const {
    const char* format = view_.format ? view_.format : "B";
    if (*format == '@' || *format == '=') ++format;
    const char* known = kind() == 'f' ? "fd" : "?bBhHiIlLqQnN";
    return std::strchr(known, *format) && view_.itemsize == sizeof(T);
  }

  Py_buffer view_{};
};

// Says what is wrong with the arguments of a call.
inline PyObject* refuse(const char* what) {
  PyErr_SetString(PyExc_ValueError, what);
  return nullptr;
}

// Lets other threads of Python run for as long as it exists. Nothing of Python may be used.
class WithoutPython {
 public:
  WithoutPython() : state_(PyEval_SaveThread()) {}
  ~WithoutPython() { PyEval_RestoreThread(state_); }
  WithoutPython(const WithoutPython&) = delete;
  WithoutPython& operator=(const WithoutPython&) = delete;

 private:
  PyThreadState* state_;
};

}  // namespace kernels
