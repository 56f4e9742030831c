"""What a level of logic and a whole fit cost on a GPU.

The level is compared with the three layers written out, in chunks of rows where their pairs
would not fit into memory; the fit with the same fit on the CPU of the machine. A level is timed
as it is called and as a recorded graph, which is how networks are trained.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from functools import partial
from typing import Any, Literal

import numpy as np
import torch
from torch import Tensor

from benchmarks import gpu_stream, phases
from crisplogic import LogicClassifier
from crisplogic.algebra.pairing import pair_count
from crisplogic.nn import AllPairings, LogicLayer
from crisplogic.training import matmul_precision

SIZES = ((8192, 512, 32), (8192, 1024, 32), (1024, 200, 16), (4096, 64, 16))
TABLES = ((600, 9), (5000, 40), (20000, 120))  # rows and columns
LARGEST_PRODUCT = 8192
MILLION = 1_000_000
MOST_PAIRS = 2**28  # rows x pairs that the written-out layers lay out at once


def measure(repeats: int = 15) -> list[dict[str, Any]]:
    """Times in milliseconds, forward and backward with all gradients, and peak memory."""
    return [
        _measured(*size, repeats=repeats, tf32=tf32) for tf32 in (True, False) for size in SIZES
    ]


def measure_targets() -> dict[str, Any]:
    """What has targets: a level at least 100 times the layers written out, as it is called;
    1,000,000 rows of 20 columns in under 15 s, of which the search at most half; streaming that
    keeps the GPU at least half as busy as rows in memory do.

    The first fit starts the GPU and processes, and is left out.
    """
    sizes = [phases.Size(learner, MILLION) for learner in ("crisp", "a number")]
    return {
        "device": torch.cuda.get_device_name(),
        "torch": torch.__version__,
        "level": [_measured(*SIZES[0], repeats=15, tf32=tf32) for tf32 in (True, False)],
        "first fit": phases.measure(sizes[:1]),
        "fits": phases.measure(sizes),
        "stream": gpu_stream.measure(),
    }


def _measured(rows: int, n: int, units: int, repeats: int, tf32: bool) -> dict[str, Any]:
    torch.manual_seed(0)
    layer = LogicLayer(n, units).cuda()
    inputs = (torch.rand(rows, n, device="cuda") * 2 - 1).requires_grad_()
    chunk = max(1, MOST_PAIRS // pair_count(n))

    def written_out(part: Tensor) -> Tensor:
        values: Tensor = layer.selector(layer.fuzzy(AllPairings(n).cuda()(part)))
        return values

    def fused() -> None:
        layer(inputs).sum().backward()

    def three_layers() -> None:
        for part in inputs.split(chunk):
            written_out(part).sum().backward()

    with matmul_precision(tf32=tf32):
        called, memory = _timed(fused, repeats)
        quick, _ = _timed(_recorded(fused).replay, repeats)
        slow, more = _timed(three_layers, 3)
        product = _matrix_product()
    useful = 6 * rows * pair_count(n) * units
    return {
        "rows": rows,
        "inputs": n,
        "units": units,
        "precision": "tf32" if tf32 else "float32",
        "layer_as_called_ms": statistics.median(called),
        "layer_ms": statistics.median(quick),
        "layer_ms_spread": [min(quick), max(quick)],
        "written_out_ms": statistics.median(slow),
        "ratio_as_called": statistics.median(slow) / statistics.median(called),
        "ratio": statistics.median(slow) / statistics.median(quick),
        "layer_peak_gib": memory,
        "written_out_peak_gib": more,
        "useful_tflops": useful / statistics.median(quick) / 1e9,
        "matrix_product_tflops": product,
        "share_of_matrix_product": useful / statistics.median(quick) / 1e9 / product,
    }


def _recorded(function: Callable[[], None]) -> torch.cuda.CUDAGraph:
    """The same as a graph, which takes one launch."""
    aside = torch.cuda.Stream()
    aside.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(aside):
        function()
    torch.cuda.current_stream().wait_stream(aside)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        function()
    return graph


def _timed(function: Callable[[], Any], repeats: int) -> tuple[list[float], float]:
    """Milliseconds of each repeat, ten calls in one, and the peak of memory in GiB."""
    for _ in range(3):
        function()
    torch.cuda.synchronize()
    before = torch.cuda.memory_allocated()
    torch.cuda.reset_peak_memory_stats()
    times = []
    for _ in range(repeats):
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        for _ in range(10):
            function()
        end.record()
        end.synchronize()
        times.append(start.elapsed_time(end) / 10)
    return times, (torch.cuda.max_memory_allocated() - before) / 2**30


def _matrix_product() -> float:
    """TFLOP/s of a large product of matrices in the present precision."""
    n = LARGEST_PRODUCT
    one, other = (torch.randn(n, n, device="cuda") for _ in range(2))
    times, _ = _timed(partial(torch.mm, one, other), 3)
    return 2 * n**3 / statistics.median(times) / 1e9


def measure_fits(
    shapes: tuple[tuple[int, int], ...] = ((600, 9), (5000, 40), (20000, 200)),
) -> list[dict[str, Any]]:
    """Seconds of a fit on tables of these rows and columns, without the search."""
    return [_fitted(*shape) for shape in shapes]


def _fitted(rows: int, columns: int) -> dict[str, Any]:
    rng = np.random.default_rng(0)
    table = rng.normal(size=(rows, columns))
    targets = (table[:, 0] * table[:, 1] + table[:, 2] + 0.3 * rng.normal(size=rows) > 0) * 1
    result: dict[str, Any] = {"rows": rows, "columns": columns}
    runs: list[tuple[str, Literal["cpu", "cuda"], Literal["float32", "tf32"]]] = [
        ("cpu", "cpu", "float32"),
        ("cuda", "cuda", "float32"),
        ("cuda_tf32", "cuda", "tf32"),
    ]
    for name, device, precision in runs:
        classifier = LogicClassifier(
            snapping="straight_through", random_state=0, device=device, precision=precision
        )
        began = time.perf_counter()
        classifier.fit(table, targets)
        result[f"{name}_s"] = time.perf_counter() - began
        result[f"{name}_error"] = classifier.snap_report_.rules_error
    return result
