"""Compiled loops. Use them through :mod:`crisplogic.kernels`: they may not be there."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

_Floats = NDArray[np.float64]
_Singles = NDArray[np.float32]
_Numbers = NDArray[np.int64]
_Bools = NDArray[np.bool_]
# A literal is (feature, cut, negated), and a statement is (literals, shape), as tuples.
_Statement = tuple[tuple[tuple[int, float, bool], ...], str]

# Rows and objectives of a search are capsules. One thread at a time uses those of one table.

def search_rows(
    columns: _Floats,  # (features, rows)
    weights: _Floats,  # (rows,)
    cuts: _Floats,  # of all columns, one after the other
    counts: _Numbers,  # (features,), how many cuts each has
    coarse_features: _Numbers,  # (literals,)
    coarse_cuts: _Floats,  # (literals,)
    screened: _Numbers,  # rows
    outputs: int,
    rises: _Bools,  # (features, outputs), or none where all is allowed
    falls: _Bools,  # the same
    pairs: _Bools,  # (features, features), or none
    with_xor: bool,
    with_and_or: bool,
    /,
) -> Any: ...
def checklist(
    rows: Any, output: int, positive: _Floats, weights: _Floats, any_of: bool, vote: int, /
) -> Any: ...
def score_card(rows: Any, targets: _Floats, noise: float, /) -> Any: ...
def follow_path(
    objective: Any, most: int, screened: int, longest: int, ways: int, /
) -> list[tuple[float, tuple[_Statement, ...]]]: ...
def statements_loss(objective: Any, statements: tuple[_Statement, ...], /) -> float: ...
def moved_cut(
    objective: Any, rest: tuple[_Statement, ...], statement: _Statement, movable: _Bools, /
) -> tuple[int, float] | None: ...

# Training, in training_module.cpp. All arrays are contiguous; an empty one stands for None.

# copies, columns, memberships a column (0: the paper's), skip, snapped, with intercepts,
# epsilon of alpha, and the least and greatest logarithm of a width.
_Network = tuple[int, int, int, bool, bool, bool, float, float, float]
# alpha and weight of every level, the logarithm of the scale, intercepts if there are any, and
# centres and logarithms of widths if memberships are learned; of all copies.
_Parameters = tuple[_Singles, ...]
# inputs ([copies,] rows, columns), classes or numbers ([copies,] rows), weights ([copies,]
# rows), factors of the penalties (copies,).
_Rows = tuple[_Singles, _Numbers, _Singles, _Singles, _Singles]
# the order of the rows, the rows of a batch, steps taken before, steps in all, steps of Adam.
_Schedule = tuple[_Numbers, int, int, int, int]
# loss, optimizer, learning rate, that of memberships, L1 and literal penalty, delta of the
# Huber loss, beta1, beta2 and epsilon of Adam.
_Settings = tuple[str, str, float, float, float, float, float, float, float, float]

def best_processor() -> int: ...
def train_networks(
    network: _Network,
    levels: tuple[tuple[int, int], ...],  # inputs and units of each
    parameters: tuple[
        _Parameters, _Parameters, _Parameters
    ],  # with both moments of Adam, or ()
    rows: _Rows,
    schedule: _Schedule,
    settings: _Settings,
    copies: tuple[int, int],  # the first, and the one after the last
    processor: int,  # which variant of the code, up to the best one
    objectives: _Floats,  # (copies,), written
    /,
) -> None: ...

# Indicators, (indicators, 3), their numbers, operations, (operations, 4), and how many slots.
_Program = tuple[NDArray[np.int32], _Floats, NDArray[np.int32], int]

# Both return the columns that have numbers outside of their ends.
def crisp_values(
    columns: tuple[NDArray[Any], ...],  # (rows,) each
    program: _Program,
    results: NDArray[np.int32],  # slots
    ends: _Floats,  # (columns, 2)
    out: NDArray[np.int8],  # (results, rows)
    /,
) -> list[int]: ...
def crisp_winners(
    columns: tuple[NDArray[Any], ...],  # (rows,) each
    program: _Program,
    results: NDArray[np.int32],  # slots, (classes,)
    factors: NDArray[np.int16],  # (classes,)
    offsets: NDArray[np.int16],  # (classes,)
    ends: _Floats,  # (columns, 2)
    out: _Numbers,  # (rows,)
    /,
) -> list[int]: ...
