// The module crisplogic._kernels: what each file offers, one line a function.
#include "functions.h"

using namespace kernels;

static PyMethodDef functions[] = {
    {"search_rows", search_rows, METH_VARARGS, nullptr},
    {"checklist", checklist, METH_VARARGS, nullptr},
    {"score_card", score_card, METH_VARARGS, nullptr},
    {"follow_path", follow_path, METH_VARARGS, nullptr},
    {"statements_loss", statements_loss, METH_VARARGS, nullptr},
    {"moved_cut", moved_cut, METH_VARARGS, nullptr},
    {"best_processor", best_processor, METH_NOARGS, nullptr},
    {"train_networks", train_networks, METH_VARARGS, nullptr},
    {"crisp_values", crisp_values, METH_VARARGS, nullptr},
    {"crisp_winners", crisp_winners, METH_VARARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

static PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "crisplogic._kernels", "Loops that numpy is slow at.", -1, functions,
    nullptr,               nullptr,               nullptr,                        nullptr,
};

PyMODINIT_FUNC PyInit__kernels() { return PyModule_Create(&definition); }
