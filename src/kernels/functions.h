// The functions of the module, by the file that they are in.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

namespace kernels {

// search_module.cpp
PyObject* search_rows(PyObject* module, PyObject* args);
PyObject* checklist(PyObject* module, PyObject* args);
PyObject* score_card(PyObject* module, PyObject* args);
PyObject* follow_path(PyObject* module, PyObject* args);
PyObject* statements_loss(PyObject* module, PyObject* args);
PyObject* moved_cut(PyObject* module, PyObject* args);

// training_module.cpp
PyObject* best_processor(PyObject* module, PyObject* args);
PyObject* train_networks(PyObject* module, PyObject* args);

// prediction_module.cpp
PyObject* crisp_values(PyObject* module, PyObject* args);
PyObject* crisp_winners(PyObject* module, PyObject* args);

}  // namespace kernels
