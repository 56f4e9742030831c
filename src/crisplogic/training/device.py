"""Where to train: on the CPU or on a GPU, and how exactly a GPU multiplies."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

import torch

from crisplogic.errors import DeviceError
from crisplogic.nn import LogicNetwork

# Multiplications a step from which a GPU, which takes a second to start, is worth it.
ENOUGH_FOR_A_GPU = 2**20
# Multiplications a step from which more than one core of the CPU is worth it: with less to
# do, threads spend their time on waiting for each other.
ENOUGH_FOR_THREADS = 2**24


def device_for(
    wanted: Literal["auto", "cpu", "cuda"], network: LogicNetwork, rows: int
) -> torch.device:
    """The device to train a network on, ``rows`` a step.

    "auto" takes a GPU if there is one and enough to do for it.

    >>> device_for("cpu", LogicNetwork(2, 2), 10)
    device(type='cpu')
    """
    there = torch.cuda.is_available()
    if wanted == "cuda" and not there:
        raise DeviceError(
            "device='cuda' needs a GPU that this build of PyTorch can use, and there is none; "
            "use device='auto' or 'cpu'"
        )
    large = rows * network.multiplications() >= ENOUGH_FOR_A_GPU
    on_gpu = wanted == "cuda" or (wanted == "auto" and there and large)
    return torch.device("cuda" if on_gpu else "cpu")


@contextmanager
def threads_for(network: LogicNetwork, rows: int) -> Iterator[None]:
    """Let torch use one core where there is little to do a step; then as many as before."""
    before = torch.get_num_threads()
    if rows * network.multiplications() < ENOUGH_FOR_THREADS:
        torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


@contextmanager
def matmul_precision(tf32: bool) -> Iterator[None]:
    """Let GPUs multiply with three digits, or with all, and set it back afterwards."""
    before = torch.backends.cuda.matmul.allow_tf32
    torch.backends.cuda.matmul.allow_tf32 = tf32
    try:
        yield
    finally:
        torch.backends.cuda.matmul.allow_tf32 = before
