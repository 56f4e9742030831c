"""What the triangular form costs on a GPU: Triton kernels against plain PyTorch.

Run ``python -m benchmarks.gpu_form`` on a machine with a Hopper GPU; it prints a table as it
goes and JSON at the end. Times are milliseconds by CUDA events, forward and backward with both
gradients: the median of runs in a row, what nine of ten took at least and at most, and the
time of the GPU alone, with nothing to launch. Useful work is counted as six operations a row,
unit and pair, the pairs with constants included.
"""

from __future__ import annotations

import argparse
import json
import statistics
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import Any

import torch
from torch import Tensor

from crisplogic.algebra.pairing import pair_count
from crisplogic.nn import AllPairings, FeatureSelector, Fuzzy
from crisplogic.nn import _triton_form as triton_form

MAIN = (None, 8192, 512, 32)  # copies, rows, inputs, units
SIZES = [
    (None, 1000, 16, 16),
    (16, 1000, 32, 16),
    (None, 1000, 64, 32),
    (16, 1000, 64, 16),
    (None, 8192, 64, 32),
    (None, 1000, 128, 32),
    (8, 1000, 128, 32),
    (None, 8192, 128, 32),
    (None, 1000, 256, 32),
    (None, 8192, 256, 32),
    (None, 1000, 512, 32),
    (None, 8192, 512, 8),
    (None, 8000, 500, 30),
    (None, 8192, 1024, 32),
    (None, 65536, 512, 32),
]
Size = tuple[int | None, int, int, int]
Form = Callable[[Tensor, Tensor], Tensor]


def dense(inputs: Tensor, products: Tensor) -> Tensor:
    """All pairs as one matrix product, the empty half included."""
    units, n = products.shape[-3], inputs.shape[-1]
    stacked = products.movedim(-1, -3).flatten(-2)
    factors: Tensor = (inputs @ stacked).unflatten(-1, (units, n))
    return (factors * inputs.unsqueeze(-2)).sum(-1)


class _Blocked(torch.autograd.Function):
    """A block of inputs at a time with those behind it; the factors are computed twice."""

    @staticmethod
    def forward(ctx: Any, inputs: Tensor, products: Tensor, block: int) -> Tensor:
        ctx.save_for_backward(inputs, products)
        ctx.block = block
        sums = inputs.new_zeros(*inputs.shape[:-1], products.shape[-3])
        for start in range(0, inputs.shape[-1], block):
            matrix = products[..., start : start + block, start:].flatten(-3, -2)
            factors = (inputs[..., start:] @ matrix.mT).unflatten(-1, (products.shape[-3], -1))
            sums += (factors @ inputs[..., start : start + block, None]).squeeze(-1)
        return sums

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, Tensor, None]:
        inputs, products = ctx.saved_tensors
        gradient = gradients[0].unsqueeze(-2)
        by_inputs, by_products = torch.zeros_like(inputs), torch.zeros_like(products)
        for start in range(0, inputs.shape[-1], ctx.block):
            inside = slice(start, start + ctx.block)
            matrix = products[..., inside, start:].flatten(-3, -2)
            factors = (inputs[..., start:] @ matrix.mT).unflatten(-1, (products.shape[-3], -1))
            by_inputs[..., inside] += (gradient @ factors).squeeze(-2)
            by_factors = (gradient.mT * inputs[..., None, inside]).flatten(-2)
            by_inputs[..., start:] += by_factors @ matrix
            block = (by_factors.mT @ inputs[..., start:]).unflatten(-2, factors.shape[-2:])
            by_products[..., inside, start:] = block
        return by_inputs, by_products, None


def blocked(inputs: Tensor, products: Tensor, block: int) -> Tensor:
    """The upper half in blocks of inputs."""
    values: Tensor = _Blocked.apply(inputs, products, block)  # type: ignore[no-untyped-call]
    return values


def in_bf16(form: Form) -> Form:
    """The same with operands of half the size."""
    return lambda inputs, products: form(inputs.bfloat16(), products.bfloat16()).float()


def forms() -> dict[str, Form]:
    """Everything that is compared."""
    kernels: dict[str, Form] = {
        f"triton {precision}": partial(triton_form.triangular_form, precision=precision)
        for precision in ("tf32", "bf16", "tf32x3", "ieee")
    }
    plain: dict[str, Form] = {"dense": dense}
    for block in (64, 128, 256):
        plain[f"blocked {block}"] = partial(blocked, block=block)
    for name, form in plain.items():
        kernels |= {f"{name} tf32": form, f"{name} bf16": in_bf16(form)}
        kernels[f"{name} float32"] = form
    return kernels


def allow_tf32(name: str) -> None:
    """Let torch's own products be in TF32, unless the name of a form says otherwise."""
    torch.backends.cuda.matmul.allow_tf32 = not name.endswith("float32")


def problem(size: Size) -> tuple[Tensor, Tensor, Tensor]:
    """Inputs, products and the gradient by the sums, at random."""
    copies, rows, n, units = size
    leading = () if copies is None else (copies,)
    inputs = torch.rand(*leading, rows, n, device="cuda") * 2 - 1
    products = torch.randn(*leading, units, n, n, device="cuda").triu(1)
    return inputs, products, torch.randn(*leading, rows, units, device="cuda")


def there_and_back(form: Form, size: Size) -> Callable[[], tuple[Tensor, ...]]:
    """Forward and backward on one problem, as often as one likes."""
    inputs, products, weights = problem(size)
    inputs.requires_grad_()
    products.requires_grad_()

    def run() -> tuple[Tensor, ...]:
        values = form(inputs, products)
        return values, *torch.autograd.grad(values, (inputs, products), weights)

    return run


def milliseconds(run: Callable[[], Any], budget: float = 300.0) -> dict[str, float]:
    """The median time and its spread, and the most memory, in GiB."""
    for _ in range(3):
        run()
    torch.cuda.synchronize()
    torch.cuda.reset_peak_memory_stats()
    (once,) = times_of(run, 1)
    times = times_of(run, max(10, min(200, int(budget / once))))
    tenths = statistics.quantiles(times, n=10)
    return {
        "ms": round(statistics.median(times), 4),
        "from": round(tenths[0], 4),
        "to": round(tenths[-1], 4),
        "peak_gib": round(torch.cuda.max_memory_allocated() / 2**30, 3),
    }


def times_of(run: Callable[[], Any], repeats: int) -> list[float]:
    """Milliseconds of runs one after the other, as in training: nobody waits between them."""
    events = [torch.cuda.Event(enable_timing=True) for _ in range(repeats + 1)]
    for event in events[:-1]:
        event.record()
        run()
    events[-1].record()
    torch.cuda.synchronize()
    return [one.elapsed_time(other) for one, other in pairwise(events)]


def without_host(run: Callable[[], Any], repeats: int) -> float:
    """The median of a recorded run played again: what the GPU does, and no launching of it."""
    graph = torch.cuda.CUDAGraph()
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        run()
    side.synchronize()
    with torch.cuda.graph(graph):
        run()
    median = statistics.median(times_of(graph.replay, repeats)[1:])
    graph.reset()  # and with it the memory that it holds
    return median


def measured(name: str, form: Form, size: Size) -> dict[str, Any]:
    """One form at one size, and the rate of useful work in TFLOP/s."""
    copies, rows, n, units = size
    allow_tf32(name)
    torch.cuda.empty_cache()
    before = torch.cuda.memory_allocated()  # torch keeps some for every stream there ever was
    try:
        run = there_and_back(form, size)
        result: dict[str, Any] = milliseconds(run)
    except (RuntimeError, torch.cuda.OutOfMemoryError) as error:
        return {"error": str(error)[:200]}
    result["peak_gib"] = round(result["peak_gib"] - before / 2**30, 3)
    work = 6 * (copies or 1) * rows * pair_count(n) * units
    result["tflops"] = round(work / result["ms"] / 1e9, 2)
    if not name.startswith("compiled"):  # which record runs by themselves
        result["gpu_ms"] = round(without_host(run, 30), 4)
        result["gpu_tflops"] = round(work / result["gpu_ms"] / 1e9, 2)
    print(f"{name:22} {size!s:26} {result}", flush=True)
    return result


def errors(name: str, form: Form, size: Size) -> list[float]:
    """How far sums and both gradients are from float64, relative to all of each."""
    allow_tf32(name)
    torch.manual_seed(1)
    inputs, products, weights = problem(size)
    x, a, dz = inputs.double(), products.double(), weights.double()
    x_t, both = x.mT.unsqueeze(-3), a + a.mT
    factors = x.unsqueeze(-3) @ a.mT  # (..., units, rows, n)
    wanted = [
        (factors * x.unsqueeze(-3)).sum(-1).mT,
        ((x.unsqueeze(-3) @ both) * dz.mT.unsqueeze(-1)).sum(-3),
        ((x_t * dz.mT.unsqueeze(-2)) @ x.unsqueeze(-3)).triu(1),
    ]
    inputs.requires_grad_()
    products.requires_grad_()
    values = form(inputs, products)
    found = [values, *torch.autograd.grad(values, (inputs, products), weights)]
    found = [values.detach(), found[1], found[2].triu(1)]
    return [float((f - w).norm() / w.norm()) for f, w in zip(found, wanted, strict=True)]


def three_layers(size: Size, chunk: int) -> dict[str, Any]:
    """AllPairings, Fuzzy and FeatureSelector, in turn, a chunk of rows at a time."""
    _, rows, n, units = size
    inputs, _, weights = problem((None, rows, n, 1))
    weights = torch.randn(rows, units, device="cuda")
    pairings = AllPairings(n).cuda()
    fuzzy, selector = Fuzzy(pair_count(n)).cuda(), FeatureSelector(pair_count(n), units).cuda()
    inputs.requires_grad_()

    def run() -> None:
        for x, dz in zip(inputs.split(chunk), weights.split(chunk), strict=True):
            selector(fuzzy(pairings(x))).backward(dz)

    torch.cuda.empty_cache()
    return {"chunk": chunk, **milliseconds(run)}


def matrix_products(dtype: torch.dtype, side: int = 8192) -> dict[str, float]:
    """How fast torch's own product is, in TFLOP/s."""
    allow_tf32("tf32")
    left, right = (torch.randn(side, side, device="cuda", dtype=dtype) for _ in range(2))
    result = milliseconds(lambda: left @ right)
    return {**result, "tflops": round(2 * side**3 / result["ms"] / 1e9, 1)}


def main() -> None:
    """Measure everything and print it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--compile", action="store_true", help="torch.compile as well")
    parser.add_argument("--only", default="", help="only forms whose name contains this")
    arguments = parser.parse_args()
    torch.manual_seed(0)
    chosen = {name: form for name, form in forms().items() if arguments.only in name}
    report: dict[str, Any] = {
        "device": torch.cuda.get_device_name(),
        "torch": torch.__version__,
        "errors": {name: errors(name, form, (2, 777, 130, 7)) for name, form in chosen.items()},
        "product tf32": matrix_products(torch.float32),
        "product bf16": matrix_products(torch.bfloat16),
        "sizes": {},
    }
    if arguments.compile:
        compiled = torch.compile(dense)
        chosen |= {"compiled dense tf32": compiled, "compiled dense bf16": in_bf16(compiled)}
    report["main"] = {name: measured(name, form, MAIN) for name, form in chosen.items()}
    again = measured("triton tf32", triton_form.triangular_form, MAIN)
    report["triton tf32 again"] = again
    report["share of product tf32"] = again["tflops"] / report["product tf32"]["tflops"]
    report["written out"] = three_layers(MAIN, 512)
    few = ("triton tf32", "triton bf16", "dense tf32", "blocked 64 tf32", "blocked 256 tf32")
    for size in SIZES:
        report["sizes"][str(size)] = {
            name: measured(name, chosen[name], size) for name in few if name in chosen
        }
    print(json.dumps(report))


if __name__ == "__main__":
    main()
