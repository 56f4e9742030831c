"""The triangular form as Triton kernels for a GPU.

The plain path writes a sum for each row, unit and input to memory, and multiplies the empty
half of the matrices, too. These kernels skip the blocks below the diagonal and write results
only. Import this module for tensors on a GPU only: it loads Triton if that is installed.
"""

from __future__ import annotations

import importlib
import importlib.util
import math
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable
from torch.nn.functional import pad

HAS_TRITON = importlib.util.find_spec("triton") is not None
triton: Any = importlib.import_module("triton") if HAS_TRITON else None
tl: Any = importlib.import_module("triton.language") if HAS_TRITON else None
kernel: Callable[[Any], Any] = triton.jit if HAS_TRITON else lambda function: function
if TYPE_CHECKING:  # Triton carries no types
    Value = Any
    constexpr = Any
elif HAS_TRITON:  # it reads the annotations of kernels and accepts only its own types
    Value, constexpr = tl.tensor, tl.constexpr
else:
    Value = constexpr = Any

# From coarse to fine: bf16 operands; float32 with a fraction of 10 bits; almost full float32,
# by three products of these; full float32 without tensor cores. All accumulate in float32.
Precision = Literal["bf16", "tf32", "tf32x3", "ieee"]

# The summed dimension of every operand is padded with zeros to a multiple of this: inner loops
# need no masks, and loads are as wide as possible. The step of every kernel divides it.
PADDING = 64
MOST_SPLITS = 32
MIN_WORK = 2**34  # copies x rows x units x n x n: 8,192 rows, 32 units and 256 inputs


class Blocks(NamedTuple):
    """The work of one program: two sides of a block, units, and the step of the sum."""

    first: int
    second: int
    units: int
    step: int
    warps: int
    stages: int

    def at_most(self, first: int, second: int, units: int) -> Blocks:
        """Limit the block to the given sizes, rounded up to powers of two."""
        return self._replace(
            first=min(self.first, max(64, power_of_two(first))),
            second=min(self.second, max(16, power_of_two(second))),
            units=min(self.units, power_of_two(units)),
        )


# The fastest of about ten candidates each on an H200, at 512 inputs and 32 units.
FORWARD: dict[Precision, Blocks] = {
    "bf16": Blocks(128, 64, 4, 64, 8, 3),
    "tf32": Blocks(128, 64, 4, 32, 8, 3),
    "tf32x3": Blocks(128, 64, 2, 32, 8, 3),
    "ieee": Blocks(128, 64, 2, 32, 8, 3),
}
BY_INPUTS: dict[Precision, Blocks] = {
    "bf16": Blocks(128, 128, 1, 64, 8, 4),
    "tf32": Blocks(128, 128, 1, 32, 8, 5),
    "tf32x3": Blocks(128, 128, 1, 32, 8, 5),
    "ieee": Blocks(128, 128, 1, 32, 8, 3),
}
BY_PRODUCTS: dict[Precision, Blocks] = {
    "bf16": Blocks(128, 128, 1, 64, 4, 3),
    "tf32": Blocks(64, 128, 2, 32, 4, 3),
    "tf32x3": Blocks(64, 64, 2, 32, 4, 3),
    "ieee": Blocks(64, 64, 2, 32, 4, 3),
}


def is_available(inputs: Tensor, products: Tensor) -> bool:
    """Whether :func:`triangular_form` supports these tensors.

    Shape: inputs (..., rows, n), products (units, n, n) or (copies, units, n, n).
    """
    return (
        HAS_TRITON
        and inputs.is_cuda
        and inputs.device == products.device
        and inputs.dtype == products.dtype == torch.float32
        and (products.ndim == 3 or (products.ndim == 4 and inputs.ndim in (2, 3)))
        and inputs.numel() > 0
        and products.numel() > 0
        and torch.cuda.get_device_capability(inputs.device)[0] == 9  # what the blocks fit
    )


def is_faster(inputs: Tensor, products: Tensor) -> bool:
    """Whether the work is large enough for these kernels to be faster than torch's own.

    From about 32 inputs the GPU finishes sooner with these kernels, but the host needs longer
    to launch them, which dominates small work.

    Shape: as in :func:`is_available`.
    """
    x, a = _aligned(inputs, products)
    return x[..., 0].numel() * a[0].numel() >= MIN_WORK


def triangular_form(
    inputs: Tensor, products: Tensor, precision: Precision | None = None
) -> Tensor:
    """The :func:`sums` with first-order gradients for autograd.

    Shape: as there.
    """
    values: Tensor = _TriangularForm.apply(inputs, products, precision or _default_precision())  # type: ignore[no-untyped-call]
    return values


class _TriangularForm(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, inputs: Tensor, products: Tensor, precision: Precision) -> Tensor:
        ctx.save_for_backward(inputs, products)
        ctx.precision = precision
        return sums(inputs, products, precision)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, *by_sums: Tensor) -> tuple[Tensor | None, Tensor | None, None]:
        inputs, products = ctx.saved_tensors
        wanted = ctx.needs_input_grad[0], ctx.needs_input_grad[1]
        return (*gradients(by_sums[0], inputs, products, ctx.precision, wanted), None)


def sums(inputs: Tensor, products: Tensor, precision: Precision | None = None) -> Tensor:
    """Compute the sum over i < j of ``products[i, j] * x[i] * x[j]`` for every row and unit.

    ``products`` must be 0 wherever j <= i. The default ``precision`` is that of torch's own
    products: TF32 if ``torch.backends.cuda.matmul.allow_tf32``, else as exact as float32.

    Shape: inputs (..., n) and products (units, n, n) to (..., units); inputs (copies, rows, n),
    or (rows, n) for all copies, and products (copies, units, n, n) to (copies, rows, units).
    """
    precision = precision or _default_precision()
    x, a = _aligned(inputs, products)
    (copies, rows, n), units = x.shape, a.shape[-3]
    x, a = _operand(x, precision), _operand(a, precision)
    blocks = FORWARD[precision].at_most(rows, n, units)
    grid = number_of_parts(rows, blocks.first), number_of_parts(units, blocks.units), copies
    splits = number_of_splits(
        math.prod(grid), number_of_parts(n, blocks.second), blocks.warps, x.device
    )
    z = inputs.new_empty(splits, copies, rows, units)
    sizes = copies, rows, n, x.shape[-1], units
    _launch(_forward_kernel, grid, splits, (x, a, z, *sizes), blocks, precision)
    values = summed(z)
    if products.ndim == 3:
        return values.reshape(*inputs.shape[:-1], units)
    if inputs.ndim == 2:
        values = values[0].unflatten(-1, products.shape[:2]).movedim(-2, 0)
    return values


def gradients(
    by_sums: Tensor,
    inputs: Tensor,
    products: Tensor,
    precision: Precision | None = None,
    wanted: tuple[bool, bool] = (True, True),
) -> tuple[Tensor | None, Tensor | None]:
    """Compute the ``wanted`` gradients by inputs and products from those by the sums.

    The gradient by the products is 0 wherever j <= i.

    Shape: by_sums as the :func:`sums`; returns those of inputs and products.
    """
    precision = precision or _default_precision()
    x, a = _aligned(inputs, products)
    if products.ndim == 4 and inputs.ndim == 2:
        by_sums = by_sums.movedim(0, -2)
    dz = _padded(by_sums.reshape(*x.shape[:2], -1).mT)  # kernels read it a unit at a time
    by_inputs = _by_inputs(x, a, dz, precision).view_as(inputs) if wanted[0] else None
    by_products = _by_products(x, dz, precision).view_as(products) if wanted[1] else None
    return by_inputs, by_products


def _by_inputs(inputs: Tensor, products: Tensor, dz: Tensor, precision: Precision) -> Tensor:
    """The gradient by aligned inputs. Shape: dz (copies, units, rows and padding)."""
    (copies, rows, n), units = inputs.shape, products.shape[-3]
    x, both = _operand(inputs, precision), _operand(products + products.mT, precision)
    blocks = BY_INPUTS[precision].at_most(rows, n, units)
    grid = number_of_parts(rows, blocks.first), number_of_parts(n, blocks.second), copies
    splits = number_of_splits(math.prod(grid), units, blocks.warps, x.device)
    dx = inputs.new_empty(splits, copies, rows, n)
    sizes = copies, rows, dz.shape[-1], n, x.shape[-1], units
    _launch(_by_inputs_kernel, grid, splits, (x, both, dz, dx, *sizes), blocks, precision)
    return summed(dx)


def _by_products(inputs: Tensor, dz: Tensor, precision: Precision) -> Tensor:
    """The gradient by aligned products. Shape: dz (copies, units, rows and padding)."""
    (copies, _, n), (units, height) = inputs.shape, dz.shape[-2:]
    x = _operand(inputs.mT, precision)  # this sum goes over rows, so they must be contiguous
    blocks = BY_PRODUCTS[precision].at_most(n, n, units)
    down, across = number_of_parts(n, blocks.first), number_of_parts(n, blocks.second)
    grid = down * across, number_of_parts(units, blocks.units), copies
    # Only blocks down to the diagonal have work to do.
    ends = (number_of_parts(end * blocks.second, blocks.first) for end in range(1, across + 1))
    busy = sum(min(down, end) for end in ends) * grid[1] * copies
    splits = number_of_splits(busy, height // PADDING, blocks.warps, x.device)
    da = inputs.new_empty(splits, copies, units, n, n)
    sizes = copies, height, n, units
    _launch(_by_products_kernel, grid, splits, (x, dz, da, *sizes), blocks, precision)
    return summed(da)


def _default_precision() -> Precision:
    return "tf32" if torch.backends.cuda.matmul.allow_tf32 else "tf32x3"


def _aligned(inputs: Tensor, products: Tensor) -> tuple[Tensor, Tensor]:
    """Add a dimension for copies. Copies that share the rows become units of one copy.

    Shape: (copies, rows, n) and (copies, units, n, n).
    """
    if products.ndim == 4 and inputs.ndim == 3:
        return inputs, products
    n = inputs.shape[-1]
    return inputs.reshape(1, -1, n), products.reshape(1, -1, n, n)


def _launch(
    kernel: Any,
    grid: tuple[int, int, int],
    splits: int,
    arguments: tuple[Any, ...],
    blocks: Blocks,
    precision: Precision,
) -> None:
    """Run a kernel on its tensors and sizes, with one program for each cell of the grid."""
    first, second, copies = grid
    with torch.cuda.device_of(arguments[0]):
        kernel[first, second, copies * splits](
            *arguments,
            *blocks[:4],
            "tf32" if precision == "bf16" else precision,  # concerns float32 operands only
            num_warps=blocks.warps,
            num_stages=blocks.stages,
        )


@cache
def number_of_splits(programs: int, most: int, warps: int, device: torch.device) -> int:
    """How many parts to split a sum into: programs run in waves, and the last should be full.

    The parts are added afterwards in a fixed order. Atomic additions would be faster, but not
    reproducible.
    """
    if device.type != "cuda":  # Triton's interpreter
        return min(most, 2)
    # Programs fill the registers of a processor with eight warps.
    processors = torch.cuda.get_device_properties(device).multi_processor_count
    at_once = processors * 8 // warps
    return min(
        range(1, min(most, MOST_SPLITS) + 1),
        key=lambda splits: (
            number_of_parts(programs * splits, at_once) / splits * (1 + splits / 32)
        ),
    )


def summed(parts: Tensor) -> Tensor:
    return parts.sum(0) if len(parts) > 1 else parts[0]


def _operand(values: Tensor, precision: Precision) -> Tensor:
    return _padded(values.to(torch.bfloat16) if precision == "bf16" else values)


def _padded(values: Tensor) -> Tensor:
    missing = -values.shape[-1] % PADDING
    return pad(values, (0, missing)) if missing else values.contiguous()


def number_of_parts(size: int, part: int) -> int:
    return -(-size // part)


def power_of_two(size: int) -> int:
    """The least power of two that is at least ``size``."""
    return 1 << (size - 1).bit_length()


# The kernels. Tensors are contiguous; ``width`` is n and ``height`` is rows, with padding.
# Beyond the end of rows, units or inputs the last one is read again: that is cheaper than a
# mask, and the result is either multiplied by 0 or not written. The third index of a program
# counts the parts of the sum and the copies.


@kernel
def _forward_kernel(
    x: Value,
    a: Value,
    z: Value,
    copies: Value,
    rows: Value,
    n: Value,
    width: Value,
    units: Value,
    ROWS: constexpr,
    INPUTS: constexpr,
    UNITS: constexpr,
    STEP: constexpr,
    PRECISION: constexpr,
) -> None:
    """Values: z = sum_i x_i (sum_{j > i} A_ij x_j), of a block of rows and some units."""
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    copy = (tl.program_id(2) % copies).to(tl.int64)
    split, splits = tl.program_id(2) // copies, tl.num_programs(2) // copies
    # One product for several units: its columns are some inputs of the first unit, then of the
    # next. Few inputs fit the triangle well, many columns reuse what is loaded.
    column = tl.arange(0, UNITS * INPUTS)
    unit = tl.minimum(tl.program_id(1) * UNITS + column // INPUTS, units - 1)
    x_row = x + (copy * rows + tl.minimum(row, rows - 1)) * width
    a_unit = a + (copy * units + unit) * n * width
    step = tl.arange(0, STEP)
    z_block = tl.zeros([ROWS, UNITS], tl.float32)
    for start in tl.range(split * INPUTS, n, splits * INPUTS):
        a_row = a_unit + tl.minimum(start + column % INPUTS, n - 1) * width
        sums = tl.zeros([ROWS, UNITS * INPUTS], tl.float32)
        for j in tl.range(start // STEP * STEP, width, STEP):
            x_j = tl.load(x_row[:, None] + (j + step)[None, :])
            a_j = tl.load(a_row[:, None] + (j + step)[None, :])
            sums = tl.dot(x_j, tl.trans(a_j), sums, input_precision=PRECISION)
        i = start + tl.arange(0, INPUTS)
        x_i = tl.load(x_row[:, None] + i[None, :], mask=(i < n)[None, :], other=0.0)
        by_unit = tl.reshape(sums, [ROWS, UNITS, INPUTS])
        z_block += tl.sum(by_unit * x_i.to(tl.float32)[:, None, :], 2)
    own = tl.program_id(1) * UNITS + tl.arange(0, UNITS)
    z_row = z + (tl.program_id(2).to(tl.int64) * rows + row) * units
    inside = (row < rows)[:, None] & (own < units)[None, :]
    tl.store(z_row[:, None] + own[None, :], z_block, mask=inside)


@kernel
def _by_inputs_kernel(
    x: Value,
    both: Value,
    dz: Value,
    dx: Value,
    copies: Value,
    rows: Value,
    height: Value,
    n: Value,
    width: Value,
    units: Value,
    ROWS: constexpr,
    INPUTS: constexpr,
    UNITS: constexpr,
    STEP: constexpr,
    PRECISION: constexpr,
) -> None:
    """By inputs: dx = sum over units of dz (A + A^T) x, of a block of rows and inputs."""
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    i = tl.program_id(1) * INPUTS + tl.arange(0, INPUTS)
    copy = (tl.program_id(2) % copies).to(tl.int64)
    split, splits = tl.program_id(2) // copies, tl.num_programs(2) // copies
    known_row = tl.minimum(row, rows - 1)
    x_row = x + (copy * rows + known_row) * width
    step = tl.arange(0, STEP)
    dx_block = tl.zeros([ROWS, INPUTS], tl.float32)
    for unit in tl.range(units * split // splits, units * (split + 1) // splits):
        a_row = both + ((copy * units + unit) * n + tl.minimum(i, n - 1)) * width
        sums = tl.zeros([ROWS, INPUTS], tl.float32)
        for j in tl.range(0, width, STEP):
            x_j = tl.load(x_row[:, None] + (j + step)[None, :])
            a_j = tl.load(a_row[:, None] + (j + step)[None, :])
            sums = tl.dot(x_j, tl.trans(a_j), sums, input_precision=PRECISION)
        dx_block += sums * tl.load(dz + (copy * units + unit) * height + known_row)[:, None]
    dx_row = dx + (tl.program_id(2).to(tl.int64) * rows + row) * n
    inside = (row < rows)[:, None] & (i < n)[None, :]
    tl.store(dx_row[:, None] + i[None, :], dx_block, mask=inside)


@kernel
def _by_products_kernel(
    x: Value,
    dz: Value,
    da: Value,
    copies: Value,
    height: Value,
    n: Value,
    units: Value,
    LEFT: constexpr,
    RIGHT: constexpr,
    UNITS: constexpr,
    STEP: constexpr,
    PRECISION: constexpr,
) -> None:
    """By products: dA = sum over rows of (dz x_i) x_j, of a block of pairs, 1 or 2 units."""
    across = tl.cdiv(n, RIGHT)
    i = tl.program_id(0) // across * LEFT + tl.arange(0, LEFT)
    j = tl.program_id(0) % across * RIGHT + tl.arange(0, RIGHT)
    copy = (tl.program_id(2) % copies).to(tl.int64)
    split, splits = tl.program_id(2) // copies, tl.num_programs(2) // copies
    unit = tl.program_id(1) * UNITS
    x_i = x + (copy * n + tl.minimum(i, n - 1)) * height
    x_j = x + (copy * n + tl.minimum(j, n - 1)) * height
    dz_unit = dz + (copy * units + unit) * height
    dz_next = dz + (copy * units + tl.minimum(unit + 1, units - 1)) * height
    step = tl.arange(0, STEP)
    steps = height // STEP
    first, last = steps * split // splits, steps * (split + 1) // splits
    if tl.program_id(0) // across * LEFT >= (tl.program_id(0) % across + 1) * RIGHT:
        last = first  # 0 below the diagonal
    of_unit = tl.zeros([LEFT, RIGHT], tl.float32)
    of_next = tl.zeros([LEFT, RIGHT], tl.float32)
    for t in tl.range(first, last):
        row = t * STEP + step
        left = tl.load(x_i[:, None] + row[None, :])
        right = tl.trans(tl.load(x_j[:, None] + row[None, :]))
        scaled = (left * tl.load(dz_unit + row)[None, :]).to(left.dtype)
        of_unit = tl.dot(scaled, right, of_unit, input_precision=PRECISION)
        if UNITS == 2:  # both use the same loads
            scaled = (left * tl.load(dz_next + row)[None, :]).to(left.dtype)
            of_next = tl.dot(scaled, right, of_next, input_precision=PRECISION)
    above = i[:, None] < j[None, :]
    inside = (i < n)[:, None] & (j < n)[None, :]
    cell = ((tl.program_id(2).to(tl.int64) * units + unit) * n + i[:, None]) * n + j[None, :]
    tl.store(da + cell, tl.where(above, of_unit, 0.0), mask=inside)
    if UNITS == 2:
        known = inside & (unit + 1 < units)
        tl.store(da + n * n + cell, tl.where(above, of_next, 0.0), mask=known)
