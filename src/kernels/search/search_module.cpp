// What Python calls of the search: rows, objectives and the path, held in capsules.
#include <cmath>
#include <memory>
#include <mutex>
#include <new>
#include <string>

#include "arrays.h"
#include "checklist.h"
#include "functions.h"
#include "path.h"
#include "score_card.h"

namespace kernels {

namespace {

// Rows, and what a user allows. One search at a time uses them.
struct Held {
  Rows rows;
  Permits permits;
  size_t columns;
  std::mutex used;
};

constexpr const char* kRows = "crisplogic.kernels.Rows";
constexpr const char* kObjective = "crisplogic.kernels.Objective";
// Counts of statements, in halves, have to fit into a byte.
constexpr int kMostStatements = 120;

// An objective, and the capsule of its rows, which it keeps alive.
struct HeldObjective {
  std::unique_ptr<Objective> objective;
  PyObject* rows_capsule;
  Held* held;
  bool counts;
};

template <typename T>
T* from_capsule(PyObject* capsule, const char* name) {
  return static_cast<T*>(PyCapsule_GetPointer(capsule, name));
}

void free_rows(PyObject* capsule) { delete from_capsule<Held>(capsule, kRows); }

void free_objective(PyObject* capsule) {
  auto* held = from_capsule<HeldObjective>(capsule, kObjective);
  PyObject* rows = held->rows_capsule;
  delete held;
  Py_DECREF(rows);
}

// Runs a function, and makes errors of C++ to those of Python.
template <typename Function>
PyObject* guarded(Function function) {
  try {
    return function();
  } catch (const std::bad_alloc&) {
    return PyErr_NoMemory();
  } catch (const std::exception& error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
    return nullptr;
  }
}

template <typename T>
std::vector<std::remove_const_t<T>> copy(const Array<T>& array) {
  return {array.data(), array.data() + array.size()};
}

bool is_tuple(PyObject* item) {
  if (PyTuple_Check(item)) return true;
  PyErr_SetString(PyExc_TypeError, "statements and literals are tuples");
  return false;
}

bool read_literal(PyObject* item, size_t columns, Literal& literal) {
  int negated = 0;
  if (!is_tuple(item)) return false;
  if (!PyArg_ParseTuple(item, "idp;a literal has a feature, a cut and a sign", &literal.feature,
                        &literal.cut, &negated))
    return false;
  literal.negated = negated;
  if (literal.feature >= 0 && static_cast<size_t>(literal.feature) < columns) return true;
  refuse("a literal is about a column that is not there");
  return false;
}

// A shape in postfix notation leaves one part.
bool is_shape(const std::string& shape, size_t literals) {
  size_t dots = 0, parts = 0;
  for (const char symbol : shape) {
    if (symbol == kDot) ++dots, ++parts;
    else if (std::string("&|^").find(symbol) == std::string::npos || parts < 2) return false;
    else --parts;
  }
  return parts == 1 && dots == literals;
}

bool read_statement(PyObject* item, size_t columns, Statement& statement) {
  PyObject* literals;
  const char* shape;
  if (!is_tuple(item)) return false;
  if (!PyArg_ParseTuple(item, "O!s;a statement has literals and a shape", &PyTuple_Type, &literals,
                        &shape))
    return false;
  for (Py_ssize_t at = 0; at < PyTuple_Size(literals); ++at) {
    Literal literal{};
    if (!read_literal(PyTuple_GetItem(literals, at), columns, literal)) return false;
    statement.literals.push_back(literal);
  }
  statement.shape = shape;
  if (is_shape(statement.shape, statement.literals.size())) return true;
  refuse("a statement's shape does not join its literals");
  return false;
}

bool read_statements(PyObject* tuple, size_t columns, Statements& statements) {
  const Py_ssize_t n = PyTuple_Size(tuple);
  if (n < 0) return false;
  if (n > kMostStatements) {
    refuse("there are too many statements");
    return false;
  }
  for (Py_ssize_t at = 0; at < n; ++at)
    if (!read_statement(PyTuple_GetItem(tuple, at), columns, statements.emplace_back()))
      return false;
  return true;
}

PyObject* written(const Statement& statement) {
  PyObject* literals = PyTuple_New(statement.size());
  if (!literals) return nullptr;
  for (int at = 0; at < statement.size(); ++at) {
    const Literal& each = statement.literals[at];
    PyObject* own =
        Py_BuildValue("(idO)", each.feature, each.cut, each.negated ? Py_True : Py_False);
    if (!own || PyTuple_SetItem(literals, at, own)) {
      Py_DECREF(literals);
      return nullptr;
    }
  }
  return Py_BuildValue("(Ns)", literals, statement.shape.c_str());
}

PyObject* written(const Found& found) {
  PyObject* statements = PyTuple_New(static_cast<Py_ssize_t>(found.statements.size()));
  if (!statements) return nullptr;
  for (size_t at = 0; at < found.statements.size(); ++at) {
    PyObject* own = written(found.statements[at]);
    if (!own || PyTuple_SetItem(statements, static_cast<Py_ssize_t>(at), own)) {
      Py_DECREF(statements);
      return nullptr;
    }
  }
  return Py_BuildValue("(dN)", found.loss, statements);
}

PyObject* new_objective(PyObject* rows_capsule, Held* held, std::unique_ptr<Objective> objective,
                        bool counts) {
  auto* made = new HeldObjective{std::move(objective), rows_capsule, held, counts};
  PyObject* capsule = PyCapsule_New(made, kObjective, free_objective);
  if (capsule) Py_INCREF(rows_capsule);
  else delete made;
  return capsule;
}

}  // namespace

PyObject* search_rows(PyObject*, PyObject* args) {
  Array<const double> columns, weights, cuts, coarse_cuts;
  Array<const std::int64_t> counts, coarse_features, screened;
  Array<const std::uint8_t> rises, falls, pairs;
  int outputs, with_xor, with_and_or;
  if (!PyArg_ParseTuple(args, "O&O&O&O&O&O&O&iO&O&O&pp", columns.convert, &columns,
                        weights.convert, &weights, cuts.convert, &cuts, counts.convert, &counts,
                        coarse_features.convert, &coarse_features, coarse_cuts.convert,
                        &coarse_cuts, screened.convert, &screened, &outputs, rises.convert,
                        &rises, falls.convert, &falls, pairs.convert, &pairs, &with_xor,
                        &with_and_or))
    return nullptr;
  const size_t n = weights.size(), features = counts.size();
  if (!n || outputs < 1 || columns.size() != n * features)
    return refuse("columns, weights and counts of cuts do not fit");
  if (coarse_features.size() != coarse_cuts.size()) return refuse("literals need a cut each");
  const size_t allowed = rises.size();
  if (falls.size() != allowed || (allowed && allowed != features * outputs) ||
      (pairs.size() && (!allowed || pairs.size() != features * features)))
    return refuse("limits do not fit the columns");
  size_t total = 0, run = 0;
  for (size_t at = 0; at < features; ++at) {
    if (counts[at] < 0) return refuse("a number of cuts is negative");
    total += static_cast<size_t>(counts[at]);
  }
  if (total != cuts.size()) return refuse("cuts and their numbers do not fit");
  for (size_t at = 0; at < coarse_features.size(); ++at) {
    if (coarse_features[at] < 0 || static_cast<size_t>(coarse_features[at]) >= features)
      return refuse("a literal is about a column that is not there");
    run = at && coarse_features[at] == coarse_features[at - 1] ? run + 1 : 1;
    if (run > 250) return refuse("a column has too many literals");
  }
  for (size_t at = 0; at < screened.size(); ++at)
    if (screened[at] < 0 || static_cast<size_t>(screened[at]) >= n)
      return refuse("a row is not there");
  return guarded([&]() -> PyObject* {
    std::vector<std::vector<double>> of_columns;
    const double* next = cuts.data();
    for (size_t at = 0; at < features; ++at) {
      of_columns.emplace_back(next, next + counts[at]);
      next += counts[at];
    }
    const std::vector<int> literals(coarse_features.data(),
                                    coarse_features.data() + coarse_features.size());
    std::unique_ptr<Held> held(
        new Held{Rows(n, copy(columns), copy(weights), std::move(of_columns), literals,
                  copy(coarse_cuts), copy(screened)),
             Permits{static_cast<size_t>(outputs), copy(rises), copy(falls), copy(pairs),
                     with_xor != 0, with_and_or != 0},
             features,
             {}});
    PyObject* capsule = PyCapsule_New(held.get(), kRows, free_rows);
    if (capsule) held.release();
    return capsule;
  });
}

PyObject* checklist(PyObject*, PyObject* args) {
  PyObject* capsule;
  int output, any, vote;
  Array<const double> positive, weights;
  if (!PyArg_ParseTuple(args, "OiO&O&pi", &capsule, &output, positive.convert, &positive,
                        weights.convert, &weights, &any, &vote))
    return nullptr;
  auto* held = from_capsule<Held>(capsule, kRows);
  if (!held) return nullptr;
  const size_t n = held->rows.size();
  if (positive.size() != n || weights.size() != n) return refuse("every row needs a weight");
  if (output < 0 || static_cast<size_t>(output) >= held->permits.outputs)
    return refuse("there is no such output");
  if (vote != 1 && vote != -1) return refuse("a vote is 1 or -1");
  return guarded([&] {
    auto made = std::make_unique<Checklist>(held->rows, held->permits, output, copy(positive),
                                            copy(weights), any != 0, vote);
    return new_objective(capsule, held, std::move(made), true);
  });
}

PyObject* score_card(PyObject*, PyObject* args) {
  PyObject* capsule;
  Array<const double> targets;
  double noise;
  if (!PyArg_ParseTuple(args, "OO&d", &capsule, targets.convert, &targets, &noise))
    return nullptr;
  auto* held = from_capsule<Held>(capsule, kRows);
  if (!held) return nullptr;
  const size_t n = held->rows.size(), outputs = targets.size() / n;
  if (!outputs || outputs * n != targets.size() || outputs != held->permits.outputs)
    return refuse("every row needs a target for each output");
  const bool is_number = noise > 0;
  if (is_number && outputs != 1) return refuse("a number has one output");
  return guarded([&] {
    std::unique_ptr<Objective> made;
    if (is_number)
      made = std::make_unique<NumberCard>(held->rows, held->permits, copy(targets), noise);
    else
      made = std::make_unique<ClassCard>(held->rows, held->permits, static_cast<int>(outputs),
                                         copy(targets));
    return new_objective(capsule, held, std::move(made), false);
  });
}

PyObject* follow_path(PyObject*, PyObject* args) {
  PyObject* capsule;
  int most, screened, longest, ways;
  if (!PyArg_ParseTuple(args, "Oiiii", &capsule, &most, &screened, &longest, &ways))
    return nullptr;
  auto* held = from_capsule<HeldObjective>(capsule, kObjective);
  if (!held) return nullptr;
  if (held->counts && most >= kMostStatements) return refuse("there are too many literals");
  if (screened < 1 || screened > 4 || longest < screened || longest > kMostLiterals)
    return refuse("statements of such a size are not looked for");
  if (ways < 1) return refuse("one way or more has to be followed");
  return guarded([&]() -> PyObject* {
    std::map<int, Found> best;
    {
      const WithoutPython others_run;
      const std::lock_guard<std::mutex> alone(held->held->used);
      held->objective->screened = screened;
      held->objective->longest = longest;
      best = kernels::follow_path(*held->objective, most, ways);
    }
    PyObject* list = PyList_New(0);
    for (const auto& [size, found] : best) {
      PyObject* own = list ? written(found) : nullptr;
      if (!own || PyList_Append(list, own)) {
        Py_XDECREF(own);
        Py_XDECREF(list);
        return nullptr;
      }
      Py_DECREF(own);
    }
    return list;
  });
}

PyObject* statements_loss(PyObject*, PyObject* args) {
  PyObject *capsule, *tuple;
  if (!PyArg_ParseTuple(args, "OO!", &capsule, &PyTuple_Type, &tuple)) return nullptr;
  auto* held = from_capsule<HeldObjective>(capsule, kObjective);
  if (!held) return nullptr;
  return guarded([&]() -> PyObject* {
    Statements statements;
    if (!read_statements(tuple, held->held->columns, statements)) return nullptr;
    const std::lock_guard<std::mutex> alone(held->held->used);
    return PyFloat_FromDouble(held->objective->loss(statements));
  });
}

PyObject* moved_cut(PyObject*, PyObject* args) {
  PyObject *capsule, *tuple, *item;
  Array<const std::uint8_t> movable;
  if (!PyArg_ParseTuple(args, "OO!OO&", &capsule, &PyTuple_Type, &tuple, &item, movable.convert,
                        &movable))
    return nullptr;
  auto* held = from_capsule<HeldObjective>(capsule, kObjective);
  if (!held) return nullptr;
  if (movable.size() != held->held->columns) return refuse("every column can move or not");
  return guarded([&]() -> PyObject* {
    Statements rest;
    Statement statement;
    if (!read_statements(tuple, held->held->columns, rest) ||
        !read_statement(item, held->held->columns, statement))
      return nullptr;
    int place = 0;
    double cut = 0.0;
    const std::lock_guard<std::mutex> alone(held->held->used);
    if (!move_to_rows(*held->objective, rest, statement, copy(movable), place, cut))
      Py_RETURN_NONE;
    return Py_BuildValue("(id)", place, cut);
  });
}

}  // namespace kernels
