"""All boards with which games of tic-tac-toe end, found by playing."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd
from numpy.typing import NDArray

Board = tuple[str, ...]

BLANK = "b"
PLACES = tuple(
    f"{row}_{column}"
    for row in ("top", "middle", "bottom")
    for column in ("left", "middle", "right")
)
LINES = (
    *((at, at + 1, at + 2) for at in (0, 3, 6)),
    *((at, at + 3, at + 6) for at in (0, 1, 2)),
    (0, 4, 8),
    (2, 4, 6),
)


def make_end_games() -> tuple[pd.DataFrame, NDArray[np.str_]]:
    """Each final board once, and whether x has won; x begins.

    Shape: (958, 9) and (958,).
    """
    boards = sorted(_final_boards())
    won = np.array(["x wins" if _has_won(board, "x") else "other" for board in boards])
    return pd.DataFrame(boards, columns=list(PLACES)), won


def _final_boards() -> set[Board]:
    """Play all games side by side: the boards after each move, each once."""
    final: set[Board] = set()
    boards: set[Board] = {(BLANK,) * 9}
    for player in "xoxoxoxox":
        boards = {moved for board in boards for moved in _moves(board, player)}
        final |= {board for board in boards if _has_won(board, player)}
        boards -= final
    return final | boards


def _moves(board: Board, player: str) -> Iterator[Board]:
    for at, place in enumerate(board):
        if place == BLANK:
            yield (*board[:at], player, *board[at + 1 :])


def _has_won(board: Board, player: str) -> bool:
    return any(all(board[at] == player for at in line) for line in LINES)
