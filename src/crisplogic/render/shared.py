"""Parts that several expressions share: named once, defined once, in any language."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import count

from crisplogic.expr.lexicon import PAPER, Notation
from crisplogic.expr.measure import shared_parts
from crisplogic.expr.nodes import Expr
from crisplogic.render.text import to_text


def named_parts(
    exprs: Sequence[Expr], taken: Collection[str] = (), counted: bool = False
) -> dict[Expr, str]:
    """The parts worth a name of their own and names for them, none of those ``taken``.

    Where repeated terms are ``counted``, being repeated is not being shared.

    >>> from crisplogic.expr import parse
    >>> list(named_parts([parse("(0 & 3) | 1"), parse("~(0 & 3)")], taken=["h1"]).values())
    ['h2']
    """
    free = (name for name in (f"h{number}" for number in count(1)) if name not in taken)
    return dict(zip(shared_parts(exprs, counted), free, strict=False))


def definitions(
    shared: Mapping[Expr, str], names: Sequence[str] | None = None, notation: Notation = PAPER
) -> dict[str, str]:
    """What each name stands for, as text; a part comes before the parts that mention it.

    >>> from crisplogic.expr import parse
    >>> definitions(named_parts([parse("(0 & 3) | 1"), parse("~(0 & 3)")]))
    {'h1': '0 & 3'}
    """

    def written_out(part: Expr) -> str:
        others = {other: name for other, name in shared.items() if other != part}
        return to_text(part, names, notation, others)

    return {name: written_out(part) for part, name in shared.items()}
