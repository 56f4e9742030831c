"""Ranks of torch.distributed: their messages, and what they do when one is gone."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import pytest
import torch

from crisplogic.distributed import in_group, open_group
from crisplogic.distributed.environment import MEETING, RANK, SIZE
from crisplogic.errors import DisagreementError, LostProcessError, TableError
from crisplogic.group import ALONE, Group, merge_results, on_first, require_agreement, together
from tests.distributed.ranks import run_ranks, same_for_all


def exchange(group: Group) -> dict[str, Any]:
    """All messages, one after the other."""
    tensor = torch.tensor([1.0, 10.0]) * (group.rank + 1)
    group.add_up(tensor)
    errors = []
    for known in ({"seed": group.rank}, {"seed": 7}):
        try:
            require_agreement(group, known)
        except DisagreementError as error:
            errors.append(str(error))
    try:
        together(group, lambda: fail_in_second(group))
    except TableError as error:
        errors.append(str(error))
    return {
        "gathered": group.gather(f"rank {group.rank}"),
        "first": group.broadcast(group.rank),
        "sum": tensor.tolist(),
        "merged": merge_results(group, lambda: {group.rank}, set.union),
        "on first": on_first(group, lambda: os.getpid()) != os.getpid() or group.rank == 0,
        "errors": errors,
    }


def fail_in_second(group: Group) -> None:
    if group.rank == 1:
        raise TableError("part-1.parquet: it is damaged")


def test_ranks_exchange_messages_and_errors(tmp_path: Path) -> None:
    found = same_for_all(run_ranks(exchange, tmp_path))
    disagreement, failure = found.pop("errors")
    assert found == {
        "gathered": ["rank 0", "rank 1"],
        "first": 0,
        "sum": [3.0, 30.0],
        "merged": {0, 1},
        "on first": True,
    }
    assert "process 1 of 2 differs from process 0 in seed" in disagreement
    assert failure == "part-1.parquet: it is damaged"


def leave(group: Group) -> None:
    if group.rank == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    group.gather("still here")


def test_a_killed_rank_is_noticed_at_once(tmp_path: Path) -> None:
    error, code = run_ranks(leave, tmp_path)
    assert code == -signal.SIGKILL
    assert isinstance(error, LostProcessError)
    assert "process 0 of 2 cannot reach the others" in str(error)


def test_a_process_of_its_own_is_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (RANK, SIZE, MEETING):
        monkeypatch.delenv(name, raising=False)
    with open_group() as group:
        assert group is ALONE


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({}, False),
        ({"RANK": "0", "WORLD_SIZE": "2", "MASTER_ADDR": "10.0.0.1"}, True),
        ({"RANK": "0", "WORLD_SIZE": "2", MEETING: "file:///tmp/meeting"}, True),
        ({"WORLD_SIZE": "2", "MASTER_ADDR": "10.0.0.1"}, False),  # as on some clusters
        ({"RANK": "0", "WORLD_SIZE": "2"}, False),
    ],
)
def test_only_a_launcher_makes_a_group(environment: dict[str, str], expected: bool) -> None:
    assert in_group(environment) == expected


def test_a_group_where_others_cannot_be_met_fails_with_the_reason() -> None:
    meeting = open_group(0, 2, "nowhere://at-all")
    with pytest.raises(LostProcessError, match="process 0 of 2 cannot meet the others"):
        meeting.__enter__()
