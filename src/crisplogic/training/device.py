"""Devices: CPU or GPU, the number of threads, and the precision of matrix products."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

import torch

from crisplogic.errors import DeviceError
from crisplogic.nn import LogicNetwork

# A GPU takes a second to start. It pays from this many multiplications a step.
MIN_WORK_FOR_GPU = 2**20
# With fewer multiplications a step, threads spend their time waiting for each other.
MIN_WORK_FOR_THREADS = 2**24


def device_for(
    wanted: Literal["auto", "cpu", "cuda"], network: LogicNetwork, rows: int
) -> torch.device:
    """Choose the device to train a network on, with ``rows`` rows a step.

    "auto" uses a GPU if there is one and a step is large enough.

    >>> device_for("cpu", LogicNetwork(2, 2), 10)
    device(type='cpu')
    """
    available = torch.cuda.is_available()
    if wanted == "cuda" and not available:
        raise DeviceError(
            "device='cuda' needs a GPU that this build of PyTorch can use, and there is none; "
            "use device='auto' or 'cpu'"
        )
    large = rows * network.multiplications() >= MIN_WORK_FOR_GPU
    on_gpu = wanted == "cuda" or (wanted == "auto" and available and large)
    return torch.device("cuda" if on_gpu else "cpu")


@contextmanager
def threads_for(network: LogicNetwork, rows: int) -> Iterator[None]:
    """Use one core inside the context if a step is small, to avoid waiting threads."""
    before = torch.get_num_threads()
    if rows * network.multiplications() < MIN_WORK_FOR_THREADS:
        torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


@contextmanager
def matmul_precision(tf32: bool) -> Iterator[None]:
    """Switch TF32 matrix products on GPUs on or off inside the context."""
    before = torch.backends.cuda.matmul.allow_tf32
    torch.backends.cuda.matmul.allow_tf32 = tf32
    try:
        yield
    finally:
        torch.backends.cuda.matmul.allow_tf32 = before
