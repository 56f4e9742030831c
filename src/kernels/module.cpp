// The module crisplogic._kernels: what each file offers, one line a function.
// Add a function here, in _kernels.pyi, and in the tests of tests/test_kernels.py.
#include "arrays.h"

namespace kernels {}

static PyMethodDef functions[] = {
    {nullptr, nullptr, 0, nullptr},
};

static PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "crisplogic._kernels", "Loops that numpy is slow at.", -1, functions,
    nullptr,               nullptr,               nullptr,                        nullptr,
};

PyMODINIT_FUNC PyInit__kernels() { return PyModule_Create(&definition); }
