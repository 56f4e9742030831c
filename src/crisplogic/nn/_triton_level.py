"""A whole level of logic as a few Triton kernels for a GPU, in the precision of TF32.

One kernel each takes the rows, the matrices of coefficients, the sums, and the gradients by
sums, inputs, products and parameters. With torch's own kernels for all but the products, a
level spends most of its time launching them. Import this module for tensors on a GPU only: it
loads Triton if that is installed.

Products are of float16 with powers of two taken out: such numbers have a fraction of 10 bits
like those of TF32, and tensor cores multiply them twice as fast. Rows of inputs and of
gradients, and gradients of units, have powers of their own, so that nothing overflows. A number
loses bits only if it is less than 2^-14 of the greatest in its row. Sums are float32.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache
from typing import Any, NamedTuple

import torch
from torch import Tensor

from crisplogic.nn._triton_form import (
    HAS_TRITON,
    Value,
    constexpr,
    kernel,
    number_of_parts,
    number_of_splits,
    power_of_two,
    summed,
    tl,
)

# Matrices are made and read in tiles of this side. Their sides are padded to a multiple of it.
TILE = 64
# Rows are padded with zeros to a multiple of this: the inner loops need no masks.
ROWS = 128
MAX_INPUTS, MAX_UNITS, MAX_ROWS = 2**12, 2**9, 2**20
# copies x rows x units x n x n. The kernels are faster for less work as well, but the first use
# compiles them for seconds, which thousands of small steps would not earn back.
MIN_WORK = 2**32


class Blocks(NamedTuple):
    """The work of one program: two sides of a block, and units."""

    first: int
    second: int
    units: int
    warps: int
    stages: int


# The fastest of about six candidates each on an H200, at 512 inputs and 32 units.
SUMS = Blocks(128, TILE, 4, 8, 3)
BY_INPUTS = Blocks(64, 256, 1, 4, 3)
BY_PRODUCTS = Blocks(128, 128, 2, 8, 3)
PAIRS = 128  # of one program, in the gradients by parameters
GRADIENT_ROWS = 64  # of one program, in the scaling of gradients by sums


class Launch(NamedTuple):
    """Programs in two directions, the parts of the sum of each, and their work."""

    grid: tuple[int, int]
    parts: int
    blocks: Blocks


class Plan(NamedTuple):
    """The sizes of a level, and of the padded tensors: rows to ``height``, inputs to ``width``.

    The rows of the next copy are ``copy_step`` further, 0 if all copies share their rows.
    """

    copies: int
    rows: int
    n: int
    units: int
    pairs: int
    copy_step: int
    height: int
    tiles: int
    width: int
    sums: Launch
    by_inputs: Launch
    by_products: Launch


class Scaled(NamedTuple):
    """What both passes read.

    Shape: ``rows`` (copies or 1, height, width) and their ``powers`` (copies or 1, height);
    ``both`` (copies, units, width, width), the symmetric matrices; ``ends`` (copies, units,
    width + tiles), the coefficients of single inputs, then parts of the constant.
    """

    rows: Tensor
    powers: Tensor
    both: Tensor
    ends: Tensor


class Rule(NamedTuple):
    """What the gradient by alpha depends on, as in :class:`~crisplogic.nn.Fuzzy`.

    Shape: ``indices`` (3, pairs), ``monotone`` (pairs,) or (copies, pairs).
    """

    indices: Tensor
    epsilon: float
    monotone: Tensor | None


def is_available(inputs: Tensor, alpha: Tensor, weight: Tensor) -> bool:
    """Whether :func:`sums` supports these tensors, TF32 is allowed, and it is faster.

    Shape: as there.
    """
    if not (HAS_TRITON and inputs.is_cuda and torch.backends.cuda.matmul.allow_tf32):
        return False
    tensors, device = (inputs, alpha, weight), inputs.device
    rows, n, units = inputs.shape[-2], inputs.shape[-1], weight.shape[-2]
    copies = len(alpha) if alpha.ndim > 1 else 1
    return (
        copies * rows * units * n * n >= MIN_WORK
        and rows <= MAX_ROWS
        and n <= MAX_INPUTS
        and units <= MAX_UNITS
        and all(each.dtype == torch.float32 and each.device == device for each in tensors)
        and not torch._C._are_functorch_transforms_active()
        and _is_hopper(device)
    )


@cache
def _is_hopper(device: torch.device) -> bool:
    """Whether the blocks fit."""
    return torch.cuda.get_device_capability(device)[0] == 9


def sums(inputs: Tensor, alpha: Tensor, weight: Tensor) -> tuple[Tensor, Scaled]:
    """Compute the sums of all units, and what the gradients need.

    Shape: inputs (rows, n) or (copies, rows, n); alpha (pairs,) or (copies, pairs); weight
    (units, pairs) or (copies, units, pairs); returns (rows, units) or (copies, rows, units).
    """
    plan = _plan(inputs.shape, weight.shape, inputs.device)
    with torch.cuda.device_of(inputs):
        rows, powers = _scaled_rows(inputs.contiguous(), plan)
        upper, both, ends = _matrices(alpha.contiguous(), weight.contiguous(), plan)
        z = inputs.new_empty(plan.sums.parts, plan.copies, plan.rows, plan.units)
        tensors = rows, powers, upper, ends, z
        sizes = plan.copies, plan.rows, plan.copy_step, plan.width, plan.units
        blocks = plan.sums.blocks
        _launch(
            _sums_kernel, plan, plan.sums, tensors, sizes, (blocks.first, blocks.units, TILE)
        )
        values = summed(z)
    return values if alpha.ndim > 1 else values[0], Scaled(rows, powers, both, ends)


def gradients(
    by_sums: Tensor,
    inputs: Tensor,
    alpha: Tensor,
    weight: Tensor,
    scaled: Scaled,
    rule: Rule,
    for_inputs: bool,
) -> tuple[Tensor | None, Tensor, Tensor]:
    """Compute gradients by inputs (``for_inputs``), alpha and weight.

    Shape: ``by_sums`` as the :func:`sums`; returns those of inputs, alpha and weight.
    """
    plan = _plan(inputs.shape, weight.shape, inputs.device)
    by_sums = by_sums.view(plan.copies, plan.rows, plan.units)
    with torch.cuda.device_of(inputs):
        by_rows = _scaled_gradients(by_sums, scaled.powers, plan)
        by_inputs = _by_inputs(scaled, by_rows, plan) if for_inputs else None
        by_parameters = _by_parameters(
            *_by_products(scaled, by_rows, plan),
            by_sums.mT @ inputs,
            alpha.contiguous(),
            weight.contiguous(),
            rule,
            plan,
        )
    if by_inputs is not None:
        by_inputs = by_inputs.sum_to_size(inputs.shape)  # copies may share their rows
    return by_inputs, *by_parameters


@lru_cache(maxsize=1024)
def _plan(inputs: Sequence[int], weight: Sequence[int], device: torch.device) -> Plan:
    """Shape: those of inputs and weight."""
    copies = weight[0] if len(weight) == 3 else 1
    *_, rows, n = inputs
    *_, units, pairs = weight
    height, tiles = number_of_parts(rows, ROWS) * ROWS, number_of_parts(n, TILE)
    width = tiles * TILE

    def launch(blocks: Blocks, first: int, second: int, most: int) -> Launch:
        parts = number_of_splits(first * second * copies, most, blocks.warps, device)
        return Launch((first, second), parts, blocks)

    across = BY_INPUTS._replace(second=min(BY_INPUTS.second, power_of_two(width)))
    sides = number_of_parts(width, BY_PRODUCTS.first)
    return Plan(
        copies=copies,
        rows=rows,
        n=n,
        units=units,
        pairs=pairs,
        copy_step=height if len(inputs) == 3 else 0,
        height=height,
        tiles=tiles,
        width=width,
        sums=launch(SUMS, height // SUMS.first, number_of_parts(units, SUMS.units), tiles),
        by_inputs=launch(
            across, height // across.first, number_of_parts(width, across.second), units
        ),
        by_products=launch(
            BY_PRODUCTS,
            sides * (sides + 1) // 2,
            number_of_parts(units, BY_PRODUCTS.units),
            height // TILE,
        ),
    )


def _launch(
    kernel: Any,
    plan: Plan,
    launch: Launch,
    tensors: Sequence[Tensor],
    sizes: Sequence[float],
    constants: Sequence[int],
) -> None:
    """Run a kernel on its tensors, sizes and constants, for all copies and parts."""
    blocks = launch.blocks
    kernel[(*launch.grid, plan.copies * launch.parts)](
        *tensors, *sizes, *constants, num_warps=blocks.warps, num_stages=blocks.stages
    )


def _scaled_rows(inputs: Tensor, plan: Plan) -> tuple[Tensor, Tensor]:
    """Inputs in float16, and the powers of two of their rows that they are divided by."""
    shape = len(inputs) if inputs.ndim == 3 else 1, plan.height
    # Blocks of products reach beyond the last row.
    size = shape[0] * plan.height * plan.width
    memory = inputs.new_empty(size + BY_PRODUCTS.second, dtype=torch.float16)
    rows = memory[:size].view(*shape, plan.width)
    powers = inputs.new_empty(shape)
    columns = power_of_two(plan.width)
    block = MAX_INPUTS // columns
    _rows_kernel[(plan.height // block, shape[0])](
        inputs, rows, powers, plan.rows, plan.height, plan.n, plan.width, block, columns
    )
    return rows, powers


def _matrices(alpha: Tensor, weight: Tensor, plan: Plan) -> tuple[Tensor, Tensor, Tensor]:
    """The upper halves of the matrices, the symmetric matrices, and the other coefficients."""
    copies, units, tiles, width = plan.copies, plan.units, plan.tiles, plan.width
    # A row of tiles of all units lies together: several units are read as one matrix.
    upper = weight.new_empty(copies, tiles, units, TILE, width, dtype=torch.float16)
    both = weight.new_empty(copies, units, width, width, dtype=torch.float16)
    ends = weight.new_empty(copies, tiles, units, width + tiles)
    _matrices_kernel[(tiles * (tiles + 1) // 2, units, copies)](
        alpha, weight, upper, both, ends, plan.n, plan.pairs, units, width, TILE
    )
    return upper, both, summed(ends.movedim(1, 0))


class _ByRows(NamedTuple):
    """Gradients by sums, divided by a power of two of their row, and for the products.

    Those for the products are times the squares of the powers of the rows of inputs, and
    ``most`` are their greatest in each block of rows. ``totals`` are sums of blocks.

    Shape: ``parts`` and ``whole`` (copies, units, height), ``powers`` (copies, height),
    ``most`` and ``totals`` (copies, units, blocks).
    """

    parts: Tensor
    powers: Tensor
    whole: Tensor
    most: Tensor
    totals: Tensor


def _scaled_gradients(by_sums: Tensor, row_powers: Tensor, plan: Plan) -> _ByRows:
    copies, units, height = plan.copies, plan.units, plan.height
    blocks = height // GRADIENT_ROWS
    by_rows = _ByRows(
        parts=by_sums.new_empty(copies, units, height, dtype=torch.float16),
        powers=by_sums.new_empty(copies, height),
        whole=by_sums.new_empty(copies, units, height),
        most=by_sums.new_empty(copies, units, blocks),
        totals=by_sums.new_empty(copies, units, blocks),
    )
    _gradients_kernel[(blocks, copies)](
        by_sums,
        row_powers,
        *by_rows,
        *by_sums.stride(),
        plan.rows,
        plan.copy_step,
        height,
        units,
        GRADIENT_ROWS,
        power_of_two(units),
    )
    return by_rows


def _by_inputs(scaled: Scaled, by_rows: _ByRows, plan: Plan) -> Tensor:
    """Shape: (copies, rows, n)."""
    blocks = plan.by_inputs.blocks
    dx = scaled.ends.new_empty(plan.by_inputs.parts, plan.copies, plan.rows, plan.n)
    limit = float(power_of_two(plan.n + 2))
    sizes = plan.copies, plan.rows, plan.copy_step, plan.height, plan.n, plan.width, plan.units
    tensors = *scaled, by_rows.parts, by_rows.powers, dx
    constants = blocks.first, blocks.second, TILE
    _launch(_by_inputs_kernel, plan, plan.by_inputs, tensors, (*sizes, limit), constants)
    return summed(dx)


def _by_products(scaled: Scaled, by_rows: _ByRows, plan: Plan) -> tuple[Tensor, Tensor]:
    """Parts of the gradients by products, and the gradient by constants.

    The former are arbitrary on and below the diagonal. Shape: (parts, copies, units, width,
    width) and (copies, units).
    """
    blocks, n_blocks = plan.by_products.blocks, by_rows.most.shape[-1]
    shape = plan.by_products.parts, plan.copies, plan.units, plan.width, plan.width
    da = scaled.ends.new_empty(shape)
    by_constant = da.new_empty(plan.copies, plan.units)
    tensors = scaled.rows, by_rows.whole, by_rows.most, by_rows.totals, da, by_constant
    sizes = plan.copies, plan.copy_step, plan.height, plan.width, plan.units, n_blocks
    constants = blocks.first, blocks.units, TILE, power_of_two(n_blocks)
    _launch(_by_products_kernel, plan, plan.by_products, tensors, sizes, constants)
    return da, by_constant


def _by_parameters(
    by_products: Tensor,
    by_constant: Tensor,
    by_linear: Tensor,
    alpha: Tensor,
    weight: Tensor,
    rule: Rule,
    plan: Plan,
) -> tuple[Tensor, Tensor]:
    """Gradients by alpha and weight from those by the coefficients.

    Shape: by_products and by_constant as above, by_linear (copies, units, n).
    """
    by_alpha, by_weight = torch.empty_like(alpha), torch.empty_like(weight)
    monotone = rule.monotone
    _parameters_kernel[(number_of_parts(plan.pairs, PAIRS), plan.copies)](
        by_products,
        by_linear,
        by_constant,
        alpha,
        weight,
        rule.indices,
        alpha if monotone is None else monotone.contiguous(),
        by_alpha,
        by_weight,
        plan.copies,
        plan.n,
        plan.pairs,
        plan.units,
        plan.width,
        plan.pairs if monotone is not None and monotone.ndim > 1 else 0,
        rule.epsilon,
        len(by_products),
        monotone is not None,
        PAIRS,
    )
    return by_alpha, by_weight


# The kernels. Tensors are contiguous. Beyond the last unit or input the last one is read again,
# and the result is not written. Copies that share rows have a ``copy_step`` of 0.


@kernel
def _power_below(sizes: Value) -> Value:
    """The greatest power of two that is not above a size; 1 for 0."""
    bits = sizes.to(tl.int32, bitcast=True) & 0x7F800000
    return tl.where(bits == 0, 1.0, bits.to(tl.float32, bitcast=True))


@kernel
def _tile(number: Value) -> Value:
    """The column of a tile of a triangle: 0; 1, 1; 2, 2, 2; and so on."""
    across = ((tl.sqrt(8.0 * number + 1.0) - 1.0) * 0.5).to(tl.int32)
    across = tl.where(across * (across + 1) // 2 > number, across - 1, across)
    return tl.where((across + 1) * (across + 2) // 2 <= number, across + 1, across)


@kernel
def _rows_kernel(
    x: Value,
    scaled: Value,
    powers: Value,
    rows: Value,
    height: Value,
    n: Value,
    width: Value,
    ROWS: constexpr,
    COLUMNS: constexpr,
) -> None:
    """Inputs in float16, divided by a power of two of each row, which is kept."""
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    column = tl.arange(0, COLUMNS)
    copy = tl.program_id(1).to(tl.int64)
    inside = (row < rows)[:, None] & (column < n)[None, :]
    cell = (copy * rows + row)[:, None] * n + column[None, :]
    values = tl.load(x + cell, mask=inside, other=0.0)
    power = _power_below(tl.max(tl.abs(values), 1))
    cell = (copy * height + row)[:, None] * width + column[None, :]
    inside = (column < width)[None, :] & (row < height)[:, None]
    tl.store(scaled + cell, (values / power[:, None]).to(tl.float16), mask=inside)
    tl.store(powers + copy * height + row, power)


@kernel
def _matrices_kernel(
    alpha: Value,
    weight: Value,
    upper: Value,
    both: Value,
    ends: Value,
    n: Value,
    pairs: Value,
    units: Value,
    width: Value,
    TILE: constexpr,
) -> None:
    """One tile of the coefficients of a unit, times 2^15 in float16; sums of its rows, columns.

    The coefficient of an input adds up over its tiles, and so do constants: their parts are
    written side by side.
    """
    across = _tile(tl.program_id(0))
    down = tl.program_id(0) - across * (across + 1) // 2
    copy, unit = tl.program_id(2).to(tl.int64), tl.program_id(1)
    tiles = width // TILE
    inner = tl.arange(0, TILE)
    i, j = down * TILE + inner, across * TILE + inner
    row = i * (n + 1) - i * (i - 1) // 2 - i - 1  # the pair of i and j is at row + j
    pair = row[:, None] + j[None, :]
    inside = (i[:, None] < j[None, :]) & (j < n)[None, :]
    own_weight = weight + (copy * units + unit) * pairs
    own_alpha = alpha + copy * pairs
    of_pair = tl.load(own_alpha + pair, mask=inside, other=0.0)
    of_both = tl.load(own_weight + pair, mask=inside, other=0.0) / (1.0 + tl.abs(of_pair))
    of_each = of_both * of_pair
    constant = -tl.sum(tl.sum(of_both * tl.abs(of_pair), 1), 0)
    by_row, by_column = tl.sum(of_each, 1), tl.sum(of_each, 0)
    product = (of_both * 32768.0).to(tl.float16)
    place = ((copy * tiles + down) * units + unit) * TILE + inner
    tl.store(upper + place[:, None] * width + j[None, :], product)
    place = (copy * units + unit) * width
    part = ends + ((copy * tiles + across) * units + unit) * (width + tiles)
    if down == across:
        tl.store(both + (place + i)[:, None] * width + j[None, :], product + tl.trans(product))
        known = i < n
        false, true = row + n, row + n + 1
        alpha_false = tl.load(own_alpha + false, mask=known, other=0.0)
        alpha_true = tl.load(own_alpha + true, mask=known, other=0.0)
        of_false = tl.load(own_weight + false, mask=known, other=0.0)
        of_false = of_false / (1.0 + tl.abs(alpha_false))
        of_true = tl.load(own_weight + true, mask=known, other=0.0)
        of_true = of_true / (1.0 + tl.abs(alpha_true))
        by_constants = of_false * (alpha_false - 1.0) + of_true * (alpha_true + 1.0)
        tl.store(part + i, by_row + by_column + by_constants)
        less = of_true * (alpha_true - tl.abs(alpha_true))
        less -= of_false * (alpha_false + tl.abs(alpha_false))
        tl.store(part + width + down, constant + tl.sum(less, 0))
    else:
        tl.store(both + (place + i)[:, None] * width + j[None, :], product)
        tl.store(both + (place + j)[:, None] * width + i[None, :], tl.trans(product))
        tl.store(part + i, by_row)
        tl.store(part + width + down, constant)
        part = ends + ((copy * tiles + down) * units + unit) * (width + tiles)
        tl.store(part + j, by_column)
        tl.store(part + width + across, 0.0)


@kernel
def _sums_kernel(
    x: Value,
    powers: Value,
    upper: Value,
    ends: Value,
    z: Value,
    copies: Value,
    rows: Value,
    copy_step: Value,
    width: Value,
    units: Value,
    ROWS: constexpr,
    UNITS: constexpr,
    TILE: constexpr,
) -> None:
    """Values: z = sum_i x_i (L_i + sum_{j > i} A_ij x_j) + constant, of some rows and units."""
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    copy = (tl.program_id(2) % copies).to(tl.int64)
    split, splits = tl.program_id(2) // copies, tl.num_programs(2) // copies
    tiles = width // TILE
    # One product for several units: its columns are a tile of the first unit, then of the next.
    column = tl.arange(0, UNITS * TILE)
    first = tl.program_id(1) * UNITS
    unit = tl.minimum(first + column // TILE, units - 1)
    x_row = x + (copy * copy_step + row) * width
    power = tl.load(powers + copy * copy_step + row)
    step = tl.arange(0, TILE)
    z_block = tl.zeros([ROWS, UNITS], tl.float32)
    for tile in tl.range(split, tiles, splits):
        a_row = ((copy * tiles + tile) * units + unit) * TILE + column % TILE
        a_row = upper + a_row * width
        products = tl.zeros([ROWS, UNITS * TILE], tl.float32)
        for j in tl.range(tile * TILE, width, TILE):
            x_j = tl.load(x_row[:, None] + (j + step)[None, :])
            a_j = tl.load(a_row[:, None] + (j + step)[None, :])
            products = tl.dot(x_j, tl.trans(a_j), products)
        i = tile * TILE + step
        alone = ends + (copy * units + unit) * (width + tiles) + tile * TILE + column % TILE
        factors = products * (power * (1.0 / 32768.0))[:, None] + tl.load(alone)[None, :]
        x_i = tl.load(x_row[:, None] + i[None, :]).to(tl.float32)
        by_unit = tl.reshape(factors, [ROWS, UNITS, TILE])
        z_block += tl.sum(by_unit * x_i[:, None, :], 2)
    own = first + tl.arange(0, UNITS)
    part = ends + (copy * units + tl.minimum(own, units - 1)) * (width + tiles) + width
    inside = (step < tiles)[None, :] & (split == 0)
    constant = tl.sum(tl.load(part[:, None] + step[None, :], mask=inside, other=0.0), 1)
    z_row = z + (tl.program_id(2).to(tl.int64) * rows + row) * units
    inside = (row < rows)[:, None] & (own < units)[None, :]
    values = z_block * power[:, None] + constant[None, :]
    tl.store(z_row[:, None] + own[None, :], values, mask=inside)


@kernel
def _gradients_kernel(
    dz: Value,
    row_powers: Value,
    parts: Value,
    powers: Value,
    whole: Value,
    most: Value,
    totals: Value,
    by_copy: Value,
    by_row: Value,
    by_unit: Value,
    rows: Value,
    copy_step: Value,
    height: Value,
    units: Value,
    ROWS: constexpr,
    UNITS: constexpr,
) -> None:
    """Gradients by sums a unit at a time, for both kinds of products."""
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    unit = tl.arange(0, UNITS)
    copy = tl.program_id(1).to(tl.int64)
    inside = (row < rows)[:, None] & (unit < units)[None, :]
    cell = row.to(tl.int64)[:, None] * by_row + unit[None, :] * by_unit
    values = tl.load(dz + copy * by_copy + cell, mask=inside, other=0.0)
    power = _power_below(tl.max(tl.abs(values), 1))
    tl.store(powers + copy * height + row, power)
    cell = (copy * units + unit)[None, :] * height + row[:, None]
    known = (unit < units)[None, :] & (row < height)[:, None]
    scaled = (values / power[:, None]).to(tl.float16)
    tl.store(parts + cell, scaled, mask=known)
    place = (copy * units + unit) * tl.num_programs(0) + tl.program_id(0)
    tl.store(totals + place, tl.sum(values, 0), mask=unit < units)
    square = tl.load(row_powers + copy * copy_step + row)
    values = values * (square * square)[:, None]
    tl.store(whole + cell, values, mask=known)
    tl.store(most + place, tl.max(tl.abs(values), 0), mask=unit < units)


@kernel
def _by_inputs_kernel(
    x: Value,
    x_powers: Value,
    both: Value,
    ends: Value,
    dz: Value,
    dz_powers: Value,
    dx: Value,
    copies: Value,
    rows: Value,
    copy_step: Value,
    height: Value,
    n: Value,
    width: Value,
    units: Value,
    limit: Value,
    ROWS: constexpr,
    INPUTS: constexpr,
    TILE: constexpr,
) -> None:
    """By inputs: dx = sum over units of dz ((A + A^T) x + L), of some rows and inputs."""
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    i = tl.program_id(1) * INPUTS + tl.arange(0, INPUTS)
    copy = (tl.program_id(2) % copies).to(tl.int64)
    split, splits = tl.program_id(2) // copies, tl.num_programs(2) // copies
    tiles = width // TILE
    x_row = x + (copy * copy_step + row) * width
    dz_row = dz + copy * units * height + row
    known = tl.minimum(i, width - 1)
    both_row = both + (copy * units * width + known) * width
    step = tl.arange(0, TILE)
    first, last = units * split // splits, units * (split + 1) // splits
    products = tl.zeros([ROWS, INPUTS], tl.float32)
    # One sum over units and inputs: the gradient of a unit scales its operand, not its result.
    for t in tl.range(first * tiles, last * tiles):
        unit = (t // tiles).to(tl.int64)
        j = t % tiles * TILE + step
        share = tl.load(dz_row + unit * height)
        x_j = tl.load(x_row[:, None] + j[None, :]) * share[:, None]
        b_j = tl.load(both_row[:, None] + unit * width * width + j[None, :])
        products = tl.dot(x_j, tl.trans(b_j), products)
    # Coefficients of single inputs are at most n + 2, so they fit as well.
    least = limit * (1.0 / 16384.0)
    power = tl.load(x_powers + copy * copy_step + row) / (32768.0 * least)
    products = products * power[:, None]
    for start in tl.range(first, last, 16, num_stages=1):
        unit = start + tl.arange(0, 16).to(tl.int64)
        inside = unit < last
        share = tl.load(dz_row[:, None] + unit[None, :] * height, mask=inside[None, :], other=0)
        alone = ends + (copy * units + unit) * (width + tiles)
        of_each = tl.load(alone[:, None] + known[None, :], mask=inside[:, None], other=0.0)
        products = tl.dot(share, (of_each / least).to(tl.float16), products)
    values = products * (tl.load(dz_powers + copy * height + row) * least)[:, None]
    dx_row = dx + (tl.program_id(2).to(tl.int64) * rows + row) * n
    inside = (row < rows)[:, None] & (i < n)[None, :]
    tl.store(dx_row[:, None] + i[None, :], values, mask=inside)


@kernel
def _by_products_kernel(
    x: Value,
    dz: Value,
    most: Value,
    totals: Value,
    da: Value,
    by_constant: Value,
    copies: Value,
    copy_step: Value,
    height: Value,
    width: Value,
    units: Value,
    blocks: Value,
    SIDE: constexpr,
    UNITS: constexpr,
    STEP: constexpr,
    BLOCKS: constexpr,
) -> None:
    """By products: dA = sum over rows of (dz x_i) x_j, of a block of pairs, 1 or 2 units.

    The first program of a unit adds up the gradient by its constant as well.
    """
    across = _tile(tl.program_id(0))
    down = tl.program_id(0) - across * (across + 1) // 2
    side = tl.arange(0, SIDE)
    i, j = down * SIDE + side, across * SIDE + side
    copy = (tl.program_id(2) % copies).to(tl.int64)
    split, splits = tl.program_id(2) // copies, tl.num_programs(2) // copies
    unit = copy * units + tl.program_id(1) * UNITS
    next_unit = tl.minimum(unit + 1, copy * units + units - 1)
    # Beyond the width the next row follows, and after the last row there is room.
    x_i, x_j = x + copy * copy_step * width + i, x + copy * copy_step * width + j
    dz_unit, dz_next = dz + unit * height, dz + next_unit * height
    # Powers of two that leave room for products in float16.
    block = tl.arange(0, BLOCKS)
    greatest = tl.load(most + unit * blocks + block, mask=block < blocks, other=0.0)
    power = _power_below(tl.max(greatest, 0)) * (1.0 / 1024.0)
    greatest = tl.load(most + next_unit * blocks + block, mask=block < blocks, other=0.0)
    next_power = _power_below(tl.max(greatest, 0)) * (1.0 / 1024.0)
    if (tl.program_id(0) == 0) & (split == 0):
        total = tl.load(totals + unit * blocks + block, mask=block < blocks, other=0.0)
        tl.store(by_constant + unit, tl.sum(total, 0))
        if UNITS == 2:
            total = tl.load(totals + next_unit * blocks + block, mask=block < blocks, other=0.0)
            tl.store(by_constant + next_unit, tl.sum(total, 0))
    of_unit = tl.zeros([SIDE, SIDE], tl.float32)
    of_next = tl.zeros([SIDE, SIDE], tl.float32)
    steps, step = height // STEP, tl.arange(0, STEP)
    first = (steps * split // splits).to(tl.int64)
    last = (steps * (split + 1) // splits).to(tl.int64)
    for t in tl.range(first, last):
        row = t * STEP + step
        left = tl.load(x_i[None, :] + row[:, None] * width)
        right = tl.load(x_j[None, :] + row[:, None] * width)
        share = (tl.load(dz_unit + row) / power).to(tl.float16)
        of_unit = tl.dot(tl.trans(left * share[:, None]), right, of_unit)
        if UNITS == 2:  # both use the same loads
            share = (tl.load(dz_next + row) / next_power).to(tl.float16)
            of_next = tl.dot(tl.trans(left * share[:, None]), right, of_next)
    inside = (i < width)[:, None] & (j < width)[None, :]
    place = (tl.program_id(2) // copies * copies).to(tl.int64) * units + unit
    cell = (place * width + i[:, None]) * width + j[None, :]
    tl.store(da + cell, of_unit * power, mask=inside)
    if UNITS == 2:
        known = inside & (next_unit > unit)
        tl.store(da + width * width + cell, of_next * next_power, mask=known)


@kernel
def _parameters_kernel(
    by_products: Value,
    by_linear: Value,
    by_constant: Value,
    alpha: Value,
    weight: Value,
    indices: Value,
    monotone: Value,
    by_alpha: Value,
    by_weight: Value,
    copies: Value,
    n: Value,
    pairs: Value,
    units: Value,
    width: Value,
    monotone_step: Value,
    epsilon: Value,
    SPLITS: constexpr,
    HAS_MONOTONE: constexpr,
    PAIRS: constexpr,
) -> None:
    """Gradients of some pairs by alpha and weight, as in logic_layer._parameter_gradients."""
    pair = tl.program_id(0) * PAIRS + tl.arange(0, PAIRS)
    copy = tl.program_id(1).to(tl.int64)
    known = pair < pairs
    left = tl.load(indices + pair, mask=known, other=0).to(tl.int32)
    right = tl.load(indices + pairs + pair, mask=known, other=0).to(tl.int32)
    joins = known & (right < n)
    constant = tl.where(right == n, -1.0, 1.0)
    a = tl.load(alpha + copy * pairs + pair, mask=known, other=0.0)
    size = tl.abs(a)
    of_both = 1.0 / (1.0 + size)
    of_each, less = a * of_both, size * of_both
    near = tl.where(size >= epsilon, a, 0.0)
    sign = tl.where(near > 0, 1.0, 0.0) - tl.where(near < 0, 1.0, 0.0)
    cell = left * width + tl.minimum(right, n - 1)
    by_b = tl.zeros([PAIRS], tl.float32)
    by_sign = tl.zeros([PAIRS], tl.float32)
    for number in tl.range(0, units):
        unit = copy * units + number
        both = tl.zeros([PAIRS], tl.float32)
        for split in tl.static_range(SPLITS):
            matrix = by_products + (split * copies * units + unit) * width * width
            both += tl.load(matrix + cell, mask=joins, other=0.0)
        of_left = tl.load(by_linear + unit * n + left)
        of_right = tl.load(by_linear + unit * n + right, mask=joins, other=0.0)
        alone = tl.load(by_constant + unit)
        both = tl.where(joins, both, constant * of_left)
        each = of_left + tl.where(joins, of_right, constant * alone)
        w = tl.load(weight + unit * pairs + pair, mask=known, other=0.0)
        value = both * of_both + each * of_each - alone * less
        tl.store(by_weight + unit * pairs + pair, value, mask=known)
        by_b += w * (each - (both + alone) * sign)
        if HAS_MONOTONE:
            by_sign += w * (both - alone)
    far = 1.0 + tl.abs(near)
    value = by_b / (far * far)
    if HAS_MONOTONE:
        chosen = tl.load(monotone + copy * monotone_step + pair, mask=known, other=0)
        value = tl.where(chosen != 0, a * by_sign * 0.5, value)
    tl.store(by_alpha + copy * pairs + pair, value, mask=known)
