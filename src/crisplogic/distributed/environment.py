"""Which group a process belongs to: what its launcher says."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta

from crisplogic.errors import LostProcessError
from crisplogic.group import ALONE, Group, require_agreement

# What torchrun, Ray and Spark set in every process that they start.
RANK, SIZE, ADDRESS = "RANK", "WORLD_SIZE", "MASTER_ADDR"
# Where the processes of `crisplogic fit --workers` find each other: the URL of a file.
MEETING = "CRISPLOGIC_MEETING"
# Nobody waits longer for the others than this: a search takes minutes.
PATIENCE = timedelta(hours=2)
# How the interface to this machine alone is called.
LOOPBACK = "lo0" if sys.platform == "darwin" else "lo"


def in_group(environment: Mapping[str, str] = os.environ) -> bool:
    """Whether a launcher started this process as one of several.

    >>> in_group({"RANK": "0", "WORLD_SIZE": "2", "MASTER_ADDR": "10.0.0.1"}), in_group({})
    (True, False)
    """
    if not (RANK in environment and SIZE in environment):
        return False
    return ADDRESS in environment or MEETING in environment


@contextmanager
def open_group(
    rank: int | None = None,
    size: int | None = None,
    init_method: str | None = None,
    timeout: timedelta = PATIENCE,
) -> Iterator[Group]:
    """The group of this process, which ends with the context.

    Under torchrun, and inside of Ray's TorchTrainer and Spark's TorchDistributor, everything
    is known already. Elsewhere give each process its ``rank`` and the ``size`` of the group,
    and all the same ``init_method``, such as ``tcp://10.0.0.1:29500`` or ``file:///some/path``.
    A process of its own is a group of one.

    >>> with open_group() as group:
    ...     group.size
    1
    """
    if rank is None and not in_group():  # nor does torch have to be loaded
        yield ALONE
        return
    import torch.distributed

    from crisplogic.distributed.torch_group import TorchGroup

    if torch.distributed.is_initialized():  # by the launcher, who also ends it
        yield _checked(TorchGroup())
        return
    rank = int(os.environ[RANK]) if rank is None else rank
    size = int(os.environ[SIZE]) if size is None else size
    if init_method is None and MEETING in os.environ:
        init_method = os.environ[MEETING]
    try:
        torch.distributed.init_process_group(
            _backend(), init_method=init_method, rank=rank, world_size=size, timeout=timeout
        )
    except (RuntimeError, ValueError) as error:
        reason = str(error).partition("\n")[0][:300]
        raise LostProcessError(
            f"process {rank} of {size} cannot meet the others ({reason}); check that all of "
            "them are started, and can reach the address of the first one"
        ) from error
    try:
        yield _checked(TorchGroup())
    finally:
        torch.distributed.destroy_process_group()


def _backend() -> str:
    """Messages between GPUs go by NCCL, all others by gloo."""
    import torch

    with_gpu = torch.cuda.is_available() and torch.distributed.is_nccl_available()
    return "cpu:gloo,cuda:nccl" if with_gpu else "gloo"


def _checked(group: Group) -> Group:
    """Refuse processes with other programs."""
    from importlib.metadata import version

    python = ".".join(map(str, sys.version_info[:2]))
    names = ("crisplogic", "torch", "numpy")
    versions = {f"version of {name}": version(name) for name in names}
    require_agreement(group, {"version of Python": python, **versions})
    return group
