// A column of numbers of any type, read where it is: a part of a matrix, or of a data frame.
#pragma once

#include "arrays.h"

namespace kernels {

class NumberColumn {
 public:
  NumberColumn() = default;
  NumberColumn(const NumberColumn&) = delete;
  NumberColumn& operator=(const NumberColumn&) = delete;
  ~NumberColumn() {
    if (view_.obj) PyBuffer_Release(&view_);
  }

  // Borrows an array of one dimension; false, with an error of Python, if it is none of numbers.
  bool borrow(PyObject* object);

  size_t size() const { return static_cast<size_t>(view_.shape[0]); }
  bool may_be_missing() const { return type_ == Type::kFloat || type_ == Type::kDouble; }

  // Some values in double precision: where they are, or written to `memory`.
  const double* read(size_t first, size_t n, double* memory) const;

 private:
  enum class Type { kBool, kInt8, kInt16, kInt32, kInt64, kUInt8, kUInt16, kUInt32, kUInt64,
                    kFloat, kDouble, kNone };
  static Type type_of(const char* format, Py_ssize_t size);

  Py_buffer view_{};
  Type type_ = Type::kNone;
};

}  // namespace kernels
