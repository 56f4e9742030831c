"""LaTeX: a list or a table, in packages that every LaTeX has."""

from __future__ import annotations

import re
from collections.abc import Iterator

from crisplogic.export.about import About
from crisplogic.rules import RuleSet
from crisplogic.rules.describe import describe, has_words
from crisplogic.rules.latex import latex_notes

# Letters that pdflatex does not have: its fonts are those of Latin scripts.
_OTHER_LETTERS = re.compile(
    "[^\x00-\x7f\xa1-\u0125\u0128-\u0137\u0139-\u013e\u0141-\u0148\u014a-\u0165\u0168-\u017e"
    "\u2010-\u2015\u2018-\u201a\u201c-\u201e\u2020-\u2022\u2026\u2030\u20ac]+"
)
_DEFINE_LETTERS = (
    r"\providecommand{\crisplogicletters}[2]"
    r"{\ifdefined\XeTeXversion#1\else\ifdefined\directlua#1\else#2\fi\fi}"
)


def write_latex(rules: RuleSet, about: About, *, document: bool = False) -> str:
    """A list or a table; a whole document on request.

    Letters that pdflatex does not have are named there, as U+540D. XeLaTeX and LuaLaTeX set
    them, in a font that has them.
    """
    text = "\n".join(_lines(rules))
    body = _OTHER_LETTERS.sub(_named, text)
    comments = [f"% {line}" for line in about.lines(rules)]
    whole = "\n".join([*comments, *([] if body == text else [_DEFINE_LETTERS]), body])
    if not document:
        return f"{whole}\n"
    head = [r"\documentclass{article}", r"\usepackage[T1]{fontenc}", r"\begin{document}"]
    return "\n".join([*head, whole, r"\end{document}"]) + "\n"


def _lines(rules: RuleSet) -> Iterator[str]:
    if has_words(rules):
        yield describe(rules).to_latex()
    else:
        yield from latex_notes([rules.to_text(), rules.legend(), rules.formulas()])


def _named(letters: re.Match[str]) -> str:
    codes = " ".join(f"U+{ord(each):04X}" for each in letters[0])
    return rf"\crisplogicletters{{{letters[0]}}}{{{codes}}}"
