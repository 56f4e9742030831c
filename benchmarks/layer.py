"""A level of logic in one step beside the three layers that it stands for."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass

import torch
from torch import nn

from benchmarks.measuring import Patience, Run, Spread, in_turns, peak_extra, ratios
from benchmarks.tables import Row, Table, Verdict, mebibytes, milliseconds, stored, with_spread
from crisplogic.algebra.pairing import pair_count
from crisplogic.nn import AllPairings, LogicLayer
from experiments.harness.processes import one_thread

TITLE = "A level of logic: one step or three layers"
ABOUT = (
    "Milliseconds of forward and backward pass, gradients of the inputs included, float32, one"
    " core. *One step* is `nn.LogicLayer`; *three layers* are `AllPairings`, `Fuzzy` and"
    " `FeatureSelector` with the same parameters. The ratio is the median of those of single"
    " turns. Memory is the peak of one soft pass in a separate process, without parameters and"
    " inputs. Other dashes: not measured, because one pass takes more than 20 s or does not fit"
    " into memory."
)


@dataclass(frozen=True)
class Shape:
    """Inputs, rows and units of a level, and how many levels side by side (None: just one)."""

    inputs: int
    rows: int
    units: int
    copies: int | None = None


SHAPES = (
    Shape(8, 64, 4),
    Shape(18, 64, 2),
    Shape(64, 4096, 16),
    Shape(200, 1024, 16),
    Shape(1000, 256, 8),
    Shape(8, 64, 4, copies=8),
    Shape(18, 64, 2, copies=8),
    Shape(64, 1024, 16, copies=8),
)
QUICK_SHAPES = (Shape(8, 64, 4), Shape(18, 64, 2, copies=8))
SMALL = Shape(2, 2, 1)
# How many times as fast as three layers one step has to be.
TARGETS = {Shape(8, 64, 4): 1.0, Shape(64, 4096, 16): 10.0, Shape(200, 1024, 16): 15.0}

# About how many numbers three layers hold at once for each row and pair. What needs more than
# this share of the machine's memory is not tried.
NUMBERS_A_PAIR = 9
SHARE_OF_MEMORY = 0.5


def measure(shapes: Iterable[Shape], patience: Patience) -> list[Row]:
    """Both ways at every shape, soft and snapped."""
    return [
        _measured(shape, snapped, patience) for shape in shapes for snapped in (False, True)
    ]


def table(rows: Sequence[Row]) -> Table:
    """The figures as text."""
    head = ["inputs, rows, units", "phase", "one step, ms", "three layers, ms", "ratio"]
    head += ["one step, MiB", "three layers, MiB"]
    return Table(head, [_line(row) for row in rows])


def verdicts(rows: Sequence[Row]) -> list[Verdict]:
    """A verdict for each ratio that has a target."""
    return [
        Verdict(f"level of {_name(row)}, {row['phase']}", row["ratio"]["median"], target, "x")
        for row in rows
        if (target := TARGETS.get(_shape(row))) is not None and row["ratio"] is not None
    ]


def one_step(shape: Shape, snapped: bool = False) -> Run:
    """Forward and backward of a level in one step."""
    return _passes(shape, _level(shape, snapped))


def three_layers(shape: Shape, snapped: bool = False) -> Run:
    """Forward and backward of a level that lays out its pairs."""
    level = _level(shape, snapped)
    layers = nn.Sequential(AllPairings(shape.inputs), level.fuzzy, level.selector)
    return _passes(shape, layers)


def _measured(shape: Shape, snapped: bool, patience: Patience) -> Row:
    makers = {"one_step": one_step}
    if _fits(shape):
        makers["three_layers"] = three_layers
    with one_thread():
        runs = {name: make(shape, snapped) for name, make in makers.items()}
        seconds = in_turns(runs, patience, time.process_time)
    slower = seconds.get("three_layers")
    return {
        **asdict(shape),
        "phase": "snapped" if snapped else "soft",
        "turns": len(seconds["one_step"]),
        "one_step": stored(Spread.of(seconds["one_step"])),
        "three_layers": stored(Spread.of(slower)) if slower else None,
        "ratio": stored(Spread.of(ratios(slower, seconds["one_step"]))) if slower else None,
        "bytes": {} if snapped else _memory(shape, list(seconds)),
    }


def _memory(shape: Shape, names: Sequence[str]) -> dict[str, int]:
    """Snapping only rounds parameters: the memory of one phase is enough."""
    makers = {"one_step": one_step, "three_layers": three_layers}
    return {name: peak_extra(makers[name], (SMALL,), (shape,)) for name in names}


def _level(shape: Shape, snapped: bool) -> LogicLayer:
    level = LogicLayer(
        shape.inputs,
        shape.units,
        copies=shape.copies,
        generator=torch.Generator().manual_seed(0),
    )
    level.fuzzy.snapped = level.selector.snapped = snapped
    return level


def _passes(shape: Shape, layers: nn.Module) -> Run:
    leading = () if shape.copies is None else (shape.copies,)
    generator = torch.Generator().manual_seed(1)
    inputs = torch.rand(*leading, shape.rows, shape.inputs, generator=generator) * 2 - 1
    inputs.requires_grad_()
    gradient = torch.rand(*leading, shape.rows, shape.units, generator=generator)
    wanted = [inputs, *layers.parameters()]
    return lambda: torch.autograd.grad(layers(inputs), wanted, gradient)


def _fits(shape: Shape) -> bool:
    pairs = (shape.copies or 1) * shape.rows * pair_count(shape.inputs)
    there_is = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return pairs * NUMBERS_A_PAIR * 4 < SHARE_OF_MEMORY * there_is


def _line(row: Row) -> list[str]:
    slower = row["three_layers"]
    return [
        _name(row),
        row["phase"],
        milliseconds(row["one_step"]),
        milliseconds(slower) if slower else "-",
        with_spread(row["ratio"]) if slower else "-",
        mebibytes(row["bytes"].get("one_step")),
        mebibytes(row["bytes"].get("three_layers")),
    ]


def _name(row: Row) -> str:
    copies = f", {row['copies']} copies" if row["copies"] else ""
    return f"{row['inputs']}, {row['rows']}, {row['units']}{copies}"


def _shape(row: Row) -> Shape:
    return Shape(row["inputs"], row["rows"], row["units"], row["copies"])
