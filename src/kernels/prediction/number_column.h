// A column of numbers of any type, read where it is: a part of a matrix, or of a data frame.
#pragma once

#include <deque>
#include <vector>

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

  // Where the values from a row on are, if they are doubles one after the other; else null.
  const double* in_place(size_t first) const;
  // Writes some values, in double precision.
  void read(size_t first, size_t n, double* out) const;

  // Asks the processor for some values, which will be read soon.
  void prefetch(size_t first, size_t n) const;
  // Whether memory that holds values of another column holds these, too.
  bool is_beside(const NumberColumn& other) const;

 private:
  enum class Type { kBool, kInt8, kInt16, kInt32, kInt64, kUInt8, kUInt16, kUInt32, kUInt64,
                    kFloat, kDouble, kNone };
  const char* at(size_t row) const {
    return static_cast<const char*>(view_.buf) +
           static_cast<std::ptrdiff_t>(row) * view_.strides[0];
  }
  static Type type_of(const char* format, Py_ssize_t size);

  Py_buffer view_{};
  Type type_ = Type::kNone;
};

// Columns of the same rows.
class NumberColumns {
 public:
  // Borrows a tuple of arrays with so many rows; false, with an error of Python, if it is none.
  bool borrow(PyObject* tuple, size_t rows);

  size_t size() const { return columns_.size(); }
  const NumberColumn& operator[](size_t at) const { return columns_[at]; }

  // Asks the processor for some rows, in the order in which those of a matrix are in memory.
  void prefetch(size_t first, size_t n) const;

 private:
  std::deque<NumberColumn> columns_;
  std::vector<const NumberColumn*> apart_;  // none is beside another
};

}  // namespace kernels
