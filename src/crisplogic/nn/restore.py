"""Networks from arrays that come from a file: all is checked before any memory is taken."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from crisplogic.algebra.pairing import pair_count
from crisplogic.constraints.limits import Limits
from crisplogic.nn.network import LogicNetwork, level_sizes

Shape = tuple[int, ...]


def restore_network(
    shape: Mapping[str, Any], state: Mapping[str, NDArray[Any]], limits: Limits | None = None
) -> LogicNetwork:
    """A network of this ``shape`` (see ``LogicNetwork.shape``) with this state.

    Arrays of other shapes or types than a network of this shape has are a ``ValueError``.

    >>> network = LogicNetwork(4, 3, depth=1)
    >>> state = {name: each.numpy() for name, each in network.state_dict().items()}
    >>> again = restore_network(network.shape, state)
    >>> torch.equal(again(torch.ones(1, 4)), network(torch.ones(1, 4)))
    True
    """
    shape = {"skip": False, **shape}  # networks of earlier versions have none
    _check_shape(shape, len(state))
    needed = dict(_array_shapes(**shape))
    found = {name: array.shape for name, array in state.items()}
    if found != needed:
        wrong = next(
            name for name in {**needed, **found} if needed.get(name) != found.get(name)
        )
        raise ValueError(
            f"the network needs {wrong!r} of shape {needed.get(wrong)}, got {found.get(wrong)}"
        )
    if not all(np.isfinite(array).all() for array in state.values()):
        raise ValueError("the network has parameters that are not finite")
    tensors = {name: torch.from_numpy(np.ascontiguousarray(a)) for name, a in state.items()}
    network = LogicNetwork(**shape, limits=limits, generator=torch.Generator())
    network = network.to(tensors["log_scale"].dtype)
    _check_values(network, tensors)
    network.load_state_dict(tensors)
    return network.eval()


def _check_shape(shape: Mapping[str, Any], arrays: int) -> None:
    sizes = ("in_features", "out_features", "width", "depth", "memberships")
    flags = ("intercepts", "skip")
    names = {*sizes, *flags, "n_selected_features"}
    if set(shape) != names:
        raise ValueError(f"the shape of a network has {sorted(names)}, got {sorted(shape)}")
    selected = shape["n_selected_features"]
    numbers = [shape[name] for name in sizes] + ([] if selected is None else [selected])
    whole = all(type(number) is int and number >= 0 for number in numbers)
    if not whole or any(type(shape[name]) is not bool for name in flags):
        raise ValueError(f"a network cannot have the shape {dict(shape)}")
    if shape["depth"] > arrays:  # each level has arrays of its own
        raise ValueError(
            f"a network of {shape['depth']} levels needs more than {arrays} arrays"
        )


def _array_shapes(
    in_features: int,
    out_features: int,
    width: int,
    depth: int,
    memberships: int,
    intercepts: bool,
    skip: bool,
    n_selected_features: int | None,
) -> Iterator[tuple[str, Shape]]:
    """The names and shapes of the state of a network."""
    selected = in_features if n_selected_features is None else n_selected_features
    inputs = selected * max(memberships, 1)
    if n_selected_features is not None:
        yield "columns", (selected,)
    if memberships:
        yield "membership.centre", (inputs,)
        yield "membership.log_width", (inputs,)
    for end in ("low", "high"):
        yield f"membership.{'range.' if memberships else ''}{end}", (selected,)
    sizes = level_sizes(inputs, out_features, width, depth, skip)
    for level, (before, after) in enumerate(sizes, 1):
        pairs = pair_count(before)
        yield f"logic.level{level}.fuzzy.alpha", (pairs,)
        yield f"logic.level{level}.selector.weight", (after, pairs)
    yield "log_scale", ()
    if intercepts:
        yield "intercept", (out_features,)


def _check_values(network: LogicNetwork, tensors: Mapping[str, torch.Tensor]) -> None:
    for name, own in network.state_dict().items():
        if tensors[name].dtype != own.dtype:
            raise ValueError(
                f"the network needs {name!r} of type {own.dtype}, got {tensors[name].dtype}"
            )
    columns = tensors.get("columns")
    if columns is not None and not ((columns >= 0) & (columns < network.in_features)).all():
        raise ValueError("the network selects columns that do not exist")
