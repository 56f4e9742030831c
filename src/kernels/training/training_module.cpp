// Training of networks as it is called from Python.
#include <deque>
#include <new>
#include <string>

#include "arrays.h"
#include "functions.h"
#include "training.h"

namespace kernels {
namespace {

using Floats = Array<float>;
using Known = Array<const float>;
using Numbers = Array<const std::int64_t>;

// An argument is wrong: a ValueError of Python.
struct Refused {
  const char* what;
};

// An error of Python is set already.
struct Raised {};

void require(bool is_right, const char* otherwise) {
  if (!is_right) throw Refused{otherwise};
}

// The arrays of a tuple, which are taken one after the other.
class ArraysOf {
 public:
  explicit ArraysOf(PyObject* tuple) {
    for (Py_ssize_t at = 0; at < PyTuple_Size(tuple); ++at)
      if (!Floats::convert(PyTuple_GetItem(tuple, at), &arrays_.emplace_back())) throw Raised{};
  }

  bool is_empty() const { return arrays_.empty(); }
  bool is_over() const { return next_ == arrays_.size(); }

  // The next one, of so many floats; null of an empty tuple.
  float* next(size_t size) {
    if (is_empty()) return nullptr;
    require(!is_over(), "there are too few arrays of parameters");
    require(arrays_[next_].size() == size, "parameters do not fit the network");
    return arrays_[next_++].data();
  }

 private:
  std::deque<Floats> arrays_;
  size_t next_ = 0;
};

// Parameters and their moments, in the order of crisplogic._kernels.train_networks.
struct ReadParameters {
  size_t copies;
  ArraysOf values, means, squares;

  Parameters next(size_t size) {
    const size_t all = copies * size;
    return {values.next(all), means.next(all), squares.next(all), size};
  }
};

struct Arguments {
  int copies, columns, memberships, skip, snapped, intercepts;
  double epsilon, least_log_width, most_log_width;
  PyObject *levels, *values, *means, *squares;
  Known inputs, numbers, weights, factors;
  Numbers classes, order;
  int batch;
  const char *loss, *optimizer;
  double rate, membership_rate, l1, literal_penalty, delta, beta1, beta2, adam_epsilon;
  long long first_step, max_steps, adam_steps;
  int first, last, processor;
  Array<double> objectives;

  bool parse(PyObject* args) {
    return PyArg_ParseTuple(
        args, "(iiipppddd)O!(O!O!O!)(O&O&O&O&O&)(O&iLLL)(ssdddddddd)(ii)iO&", &copies, &columns,
        &memberships, &skip, &snapped, &intercepts, &epsilon, &least_log_width, &most_log_width,
        &PyTuple_Type, &levels, &PyTuple_Type, &values, &PyTuple_Type, &means, &PyTuple_Type,
        &squares, Known::convert, &inputs, Numbers::convert, &classes, Known::convert, &numbers,
        Known::convert, &weights, Known::convert, &factors, Numbers::convert, &order, &batch,
        &first_step, &max_steps, &adam_steps, &loss, &optimizer, &rate, &membership_rate, &l1,
        &literal_penalty, &delta, &beta1, &beta2, &adam_epsilon, &first, &last, &processor,
        Array<double>::convert, &objectives);
  }
};

// Sizes that fit into memory: nothing overflows that is computed from them.
constexpr int kMostInputs = 1 << 12;

void read_sizes(const Arguments& from, Network& network) {
  require(from.copies > 0 && from.columns > 0 && from.memberships >= 0,
          "networks need copies and columns");
  require(from.columns <= kMostInputs && from.memberships <= kMostInputs,
          "networks have too many inputs");
  network.copies = from.copies;
  network.columns = from.columns;
  network.memberships = from.memberships;
  network.skip = from.skip;
  network.snapped = from.snapped;
  network.epsilon = static_cast<float>(from.epsilon);
  network.least_log_width = static_cast<float>(from.least_log_width);
  network.most_log_width = static_cast<float>(from.most_log_width);
  const Py_ssize_t depth = PyTuple_Size(from.levels);
  require(depth > 0 && static_cast<size_t>(depth) <= kMostLevels,
          "networks have from 1 to 16 levels");
  network.depth = depth;
  const size_t degrees = network.columns * (from.memberships ? from.memberships : 1);
  for (size_t at = 0; at < network.depth; ++at) {
    int inputs, units;
    PyObject* level = PyTuple_GetItem(from.levels, at);
    if (!PyTuple_Check(level)) throw Refused{"a level has a number of inputs and of units"};
    if (!PyArg_ParseTuple(level, "ii", &inputs, &units)) throw Raised{};
    const size_t below = at ? network.levels[at - 1].units : 0;
    const size_t needed = at ? below + (network.skip ? degrees : 0) : degrees;
    require(inputs > 0 && static_cast<size_t>(inputs) == needed && needed <= kMostInputs,
            "a level has other inputs than those that reach it");
    require(units > 0 && units <= kMostInputs, "a level has too few or too many units");
    network.levels[at].inputs = inputs;
    network.levels[at].units = units;
  }
}

void read_parameters(const Arguments& from, ReadParameters& parameters, Network& network) {
  require(!parameters.values.is_empty(), "networks need parameters");
  for (size_t at = 0; at < network.depth; ++at) {
    Level& level = network.levels[at];
    const size_t pairs = pairs_of(level.inputs);
    level.alpha = parameters.next(pairs);
    level.weight = parameters.next(level.units * pairs);
  }
  network.log_scale = parameters.next(1);
  if (from.intercepts) network.intercept = parameters.next(network.levels[network.depth - 1].units);
  if (network.memberships) {
    const size_t ramps = network.columns * network.memberships;
    network.centre = parameters.next(ramps);
    network.log_width = parameters.next(ramps);
  }
  require(parameters.values.is_over() && parameters.means.is_over() &&
              parameters.squares.is_over(),
          "there are too many arrays of parameters");
}

// How far it is from the values of one copy to those of the next: 0 if they share them.
size_t stride(size_t size, size_t of_copy, size_t copies, const char* otherwise) {
  require(size == of_copy || size == copies * of_copy, otherwise);
  return size == of_copy ? 0 : of_copy;
}

void read_rows(const Arguments& from, const Network& network, TrainingRows& rows) {
  const Known& inputs = from.inputs;
  require(inputs.dimensions() == 2 || inputs.dimensions() == 3, "inputs are matrices");
  rows.n = inputs.extent(inputs.dimensions() - 2);
  require(rows.n > 0 && inputs.extent(inputs.dimensions() - 1) == network.columns,
          "rows do not have the columns of the network");
  rows.inputs = inputs.data();
  rows.inputs_stride = stride(inputs.size(), rows.n * network.columns, network.copies,
                              "inputs are those of one copy or of all");
  const bool numbers = from.numbers.size() > 0;
  require(numbers != (from.classes.size() > 0), "targets are classes or numbers");
  rows.targets_stride = stride(numbers ? from.numbers.size() : from.classes.size(), rows.n,
                               network.copies, "every row needs a target");
  const auto units = static_cast<std::int64_t>(network.levels[network.depth - 1].units);
  for (size_t at = 0; at < from.classes.size(); ++at)
    require(from.classes[at] >= 0 && from.classes[at] < units, "there is no such class");
  rows.classes = numbers ? nullptr : from.classes.data();
  rows.numbers = numbers ? from.numbers.data() : nullptr;
  if (from.weights.size()) {
    rows.weights = from.weights.data();
    rows.weights_stride =
        stride(from.weights.size(), rows.n, network.copies, "every row needs a weight");
  }
  if (from.factors.size()) {
    require(from.factors.size() == network.copies, "every copy needs a factor of penalties");
    rows.penalty_factors = from.factors.data();
  }
}

LossKind read_loss(const std::string& name) {
  if (name == "cross_entropy") return LossKind::cross_entropy;
  if (name == "squared_error") return LossKind::squared_error;
  if (name == "mean_squared_error") return LossKind::mean_squared_error;
  require(name == "huber", "there is no such loss");
  return LossKind::huber;
}

void read_schedule(const Arguments& from, const Network& network, const TrainingRows& rows,
                   Schedule& schedule) {
  schedule.order = from.order.data();
  schedule.n = from.order.size();
  for (size_t at = 0; at < schedule.n; ++at)
    require(from.order[at] >= 0 && static_cast<size_t>(from.order[at]) < rows.n,
            "a row is not there");
  require(from.batch > 0, "a batch has one row or more");
  require(from.max_steps > 0 && from.first_step >= 0 && from.adam_steps >= 0,
          "numbers of steps are not negative");
  schedule.batch = from.batch;
  schedule.first_step = from.first_step;
  schedule.max_steps = from.max_steps;
  schedule.adam_steps = from.adam_steps;
  schedule.loss = read_loss(from.loss);
  const bool of_classes = schedule.loss == LossKind::cross_entropy ||
                          schedule.loss == LossKind::squared_error;
  require(of_classes == (rows.classes != nullptr), "the loss is for other targets");
  const size_t units = network.levels[network.depth - 1].units;
  require(of_classes || units == 1, "a number has one output");
  const std::string optimizer = from.optimizer;
  schedule.adam = optimizer == "adam";
  require(schedule.adam || optimizer == "sgd", "there is no such optimizer");
  require(schedule.adam == (network.log_scale.means != nullptr) &&
              schedule.adam == (network.log_scale.squares != nullptr),
          "Adam has two moments of every parameter, and plain descent none");
  schedule.rate = from.rate;
  schedule.membership_rate = from.membership_rate;
  schedule.l1 = static_cast<float>(from.l1);
  schedule.literal_penalty = static_cast<float>(from.literal_penalty);
  schedule.delta = static_cast<float>(from.delta);
  schedule.beta1 = from.beta1;
  schedule.beta2 = from.beta2;
  schedule.adam_epsilon = from.adam_epsilon;
}

void train(const Arguments& from) {
  Network network;
  TrainingRows rows;
  Schedule schedule;
  read_sizes(from, network);
  ReadParameters parameters{network.copies, ArraysOf(from.values), ArraysOf(from.means),
                            ArraysOf(from.squares)};
  read_parameters(from, parameters, network);
  read_rows(from, network, rows);
  read_schedule(from, network, rows, schedule);
  require(from.first >= 0 && from.first <= from.last && from.last <= from.copies,
          "there are no such copies");
  require(from.objectives.size() == network.copies, "every copy needs an objective");
  require(from.processor >= 0 && from.processor <= static_cast<int>(best_processor()),
          "this processor cannot do that");
  const WithoutPython others_run;
  train_copies(network, rows, schedule, from.first, from.last,
               static_cast<Processor>(from.processor), from.objectives.data());
}

}  // namespace

PyObject* best_processor(PyObject*, PyObject*) {
  return PyLong_FromLong(static_cast<long>(best_processor()));
}

PyObject* train_networks(PyObject*, PyObject* args) {
  Arguments arguments;
  if (!arguments.parse(args)) return nullptr;
  try {
    train(arguments);
  } catch (const Refused& refused) {
    return refuse(refused.what);
  } catch (const Raised&) {
    return nullptr;
  } catch (const std::bad_alloc&) {
    return PyErr_NoMemory();
  }
  Py_RETURN_NONE;
}

}  // namespace kernels
