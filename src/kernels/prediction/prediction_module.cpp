// What Python calls to predict by crisp rules: the values of expressions, and the classes that win.
#include <algorithm>
#include <limits>
#include <new>

#include "crisp_program.h"
#include "functions.h"

namespace kernels {

namespace {

// Slots of blocks have to fit into memory, and their number into an int.
constexpr int kMostSlots = 1 << 20;

// A program as Python gives it: numbers in arrays, which may be wrong.
struct Given {
  Array<const std::int32_t> indicators;  // (indicators, 3), a kind, a column and a slot
  Array<const double> numbers;           // (indicators,)
  Array<const std::int32_t> operations;  // (operations, 4), a kind, two operands and a result
  int slots = 0;
  Array<const std::int32_t> results;  // slots
  Array<const double> ends;           // (columns, 2)
};

bool is_below(std::int32_t number, int end) { return number >= 0 && number < end; }

// What is wrong with a program; null if nothing is.
const char* fault(const Given& given, size_t columns) {
  const size_t n = given.numbers.size();
  if (given.slots < 2 || given.slots > kMostSlots) return "there are too few slots, or too many";
  if (given.indicators.size() != 3 * n) return "an indicator has a kind, a column and a slot";
  if (given.operations.size() % 4) return "an operation has a kind, two operands and a result";
  if (given.ends.size() != 2 * columns) return "every column has two ends";
  const int written = given.slots - 2;
  for (size_t at = 0; at < n; ++at) {
    const std::int32_t* each = &given.indicators[3 * at];
    if (!is_below(each[0], Indicator::kKinds)) return "there is no such indicator";
    if (!is_below(each[1], static_cast<int>(columns))) return "a column is not there";
    if (!is_below(each[2], written)) return "an indicator has no slot";
  }
  for (size_t at = 0; at < given.operations.size(); at += 4) {
    const std::int32_t* each = &given.operations[at];
    if (!is_below(each[0], Operation::kKinds)) return "there is no such operation";
    if (!is_below(each[1], given.slots) || !is_below(each[2], given.slots))
      return "an operand is not there";
    if (!is_below(each[3], written)) return "a result has no slot";
  }
  for (size_t at = 0; at < given.results.size(); ++at)
    if (!is_below(given.results[at], given.slots)) return "a result is not there";
  return nullptr;
}

CrispProgram make_program(const Given& given, size_t columns) {
  std::vector<Indicator> indicators;
  for (size_t at = 0; at < given.numbers.size(); ++at) {
    const std::int32_t* each = &given.indicators[3 * at];
    indicators.push_back({each[0], each[1], each[2], given.numbers[at]});
  }
  std::vector<Operation> operations;
  for (size_t at = 0; at < given.operations.size(); at += 4) {
    const std::int32_t* each = &given.operations[at];
    operations.push_back({each[0], each[1], each[2], each[3]});
  }
  std::vector<Ends> ends;
  for (size_t at = 0; at < columns; ++at)
    ends.push_back({given.ends[2 * at], given.ends[2 * at + 1]});
  return CrispProgram(indicators, std::move(operations), given.slots, ends);
}

// Runs a program on all rows, and returns which columns had numbers outside of their ends.
// `use(program, first, n)` takes the results of each block.
template <typename Use>
PyObject* run(PyObject* tuple, const Given& given, size_t rows, Use use) {
  try {
    NumberColumns columns;
    if (!columns.borrow(tuple, rows)) return nullptr;
    if (const char* wrong = fault(given, columns.size())) return refuse(wrong);
    CrispProgram program = make_program(given, columns.size());
    {
      const WithoutPython others_run;
      for (size_t first = 0; first < rows; first += CrispProgram::kBlock) {
        const size_t n = std::min(CrispProgram::kBlock, rows - first);
        program.run(columns, first, n);
        use(program, first, n);
      }
    }
    PyObject* outside = PyList_New(0);
    for (size_t at = 0; outside && at < columns.size(); ++at) {
      if (!program.was_outside(at)) continue;
      PyObject* number = PyLong_FromSize_t(at);
      if (!number || PyList_Append(outside, number)) Py_CLEAR(outside);
      Py_XDECREF(number);
    }
    return outside;
  } catch (const std::bad_alloc&) {
    return PyErr_NoMemory();
  }
}

}  // namespace

PyObject* crisp_values(PyObject*, PyObject* args) {
  PyObject* columns;
  Given given;
  Array<std::int8_t> out;
  if (!PyArg_ParseTuple(args, "O!(O&O&O&i)O&O&O&", &PyTuple_Type, &columns,
                        given.indicators.convert, &given.indicators, given.numbers.convert,
                        &given.numbers, given.operations.convert, &given.operations, &given.slots,
                        given.results.convert, &given.results, given.ends.convert, &given.ends,
                        out.convert, &out))
    return nullptr;
  if (out.dimensions() != 2 || out.extent(0) != given.results.size())
    return refuse("every result needs a row");
  const size_t rows = out.extent(1);
  return run(columns, given, rows, [&](const CrispProgram& program, size_t first, size_t n) {
    for (size_t at = 0; at < given.results.size(); ++at)
      std::copy_n(program.slot(given.results[at]), n, &out[at * rows + first]);
  });
}

PyObject* crisp_winners(PyObject*, PyObject* args) {
  PyObject* columns;
  Given given;
  Array<const std::int16_t> factors, offsets;
  Array<std::int64_t> out;
  if (!PyArg_ParseTuple(args, "O!(O&O&O&i)O&O&O&O&O&", &PyTuple_Type, &columns,
                        given.indicators.convert, &given.indicators, given.numbers.convert,
                        &given.numbers, given.operations.convert, &given.operations, &given.slots,
                        given.results.convert, &given.results, factors.convert, &factors,
                        offsets.convert, &offsets, given.ends.convert, &given.ends, out.convert,
                        &out))
    return nullptr;
  const size_t classes = given.results.size();
  if (classes < 1 || classes > std::numeric_limits<std::int16_t>::max() ||
      factors.size() != classes || offsets.size() != classes)
    return refuse("every class needs a factor and an offset");
  return run(columns, given, out.size(), [&](const CrispProgram& program, size_t first, size_t n) {
    std::int16_t best[CrispProgram::kBlock], winner[CrispProgram::kBlock];
    std::fill_n(best, CrispProgram::kBlock, std::numeric_limits<std::int16_t>::min());
    std::fill_n(winner, CrispProgram::kBlock, std::int16_t{0});
    for (size_t at = 0; at < classes; ++at)
      compete(program.slot(given.results[at]), factors[at], offsets[at],
              static_cast<std::int16_t>(at), best, winner);
    std::copy_n(winner, n, &out[first]);
  });
}

}  // namespace kernels
