"""Yes/no rules in plain words: a checklist, a score card, or a base and amounts."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from crisplogic.expr import And, Expr, Or, Squash, Var, Xor
from crisplogic.expr.counts import read_count
from crisplogic.expr.walk import unique_nodes
from crisplogic.rules.checklist import (
    Checklist,
    NormalForm,
    NumberCard,
    ScoreCard,
    normal_form,
)
from crisplogic.rules.latex import to_latex
from crisplogic.rules.markup import (
    Cell,
    Listing,
    Table,
    fenced,
    put_before,
    to_html,
    to_markdown,
)
from crisplogic.rules.memberships import Flag, Level
from crisplogic.rules.number_format import all_digits
from crisplogic.rules.transforms import TRANSFORMS
from crisplogic.rules.words import Words, labels_in_words, name_in_words, value_in_words
from crisplogic.tables import TRUTH, Levels
from crisplogic.tables.levels import TRUTH_WORDS

if TYPE_CHECKING:
    from crisplogic.rules.ruleset import RuleSet

# Rules of more literals are no checklist that anyone reads.
MOST_DESCRIBED = 10_000
# Probabilities are listed for so many counts; for more there is a formula.
MOST_COUNTS = 13
# What a class has before any statement, in a score card.
TO_BEGIN_WITH = "to begin with"
NO_POINTS = "."


@dataclass(frozen=True)
class Description:
    """Rules in words: a list or a table, and notes that say how to compute with it."""

    body: Listing | Table
    notes: tuple[tuple[str, ...], ...]

    def to_text(self, notes: bool = True) -> str:
        """The words as plain text, a statement a line; ``notes`` in blocks below."""
        body = _text_of_table(self.body) if isinstance(self.body, Table) else self.body.text()
        return "\n\n".join(filter(None, [body, self._notes if notes else ""]))

    def to_markdown(self) -> str:
        """The words as a list or a table in Markdown."""
        body = to_markdown([self.body])
        return f"{body}\n\n{fenced(self._notes)}" if self.notes else body

    def to_html(self) -> str:
        """The words as a list or a table that notebooks show, the notes folded away."""
        return to_html([self.body], legend=self._notes, summary="How to compute it")

    def to_latex(self) -> str:
        """The words as a list or a table in LaTeX, and the notes below."""
        return to_latex([self.body], notes=map("\n".join, self.notes))

    @property
    def _notes(self) -> str:
        return "\n\n".join(map("\n".join, self.notes))


def has_words(rules: RuleSet) -> bool:
    """Whether rules are printed in words: crisp ones, unless they are far too long to read."""
    return rules.crisp and rules.size <= MOST_DESCRIBED


def describe(rules: RuleSet) -> Description:
    """Rules that are yes or no in words, all that is needed to compute every prediction.

    >>> from crisplogic.expr import parse
    >>> from crisplogic.rules import ClassificationRules, Rule, Step
    >>> steps = Step(0, 40.0), Step(1, 127.0), Step(2, 6.5)
    >>> both = Rule("ill", parse("0 + ~1 + (1 | 2)")), Rule("well", parse("unknown"))
    >>> names = ("age", "glucose", "body mass")
    >>> rules = ClassificationRules(names, steps, both, 1.0, (-0.5, 0.0), crisp=True)
    >>> print(describe(rules).body.text())
    ill, if at least 2 of these 3 statements hold:
      - age is above 40
      - glucose is at most 127
      - glucose is above 127, or body mass is above 6.5
    otherwise well
    """
    form = normal_form(rules)
    writer = Words(rules)
    words = [writer.outline(item.expression) for item in form.items]
    body: Listing | Table
    match form:
        case Checklist():
            body, ending = _checklist(form, words), _chances(form)
        case ScoreCard():
            cells = [_cell(writer, item.expression) for item in form.items]
            body, ending = _score_card(form, cells), _card_notes(form)
        case NumberCard():
            body, ending = _number_card(form, words), _number_notes(form)
    known = list(_known_values(rules, form))
    has_parts = any(isinstance(each, Listing) for each in words)
    notes = [_unknown_note(form, bool(known), has_parts), known, ending]
    return Description(body, tuple(tuple(block) for block in notes if block))


# Two classes


def _checklist(form: Checklist, words: Sequence[str | Listing]) -> Listing:
    positive, other = labels_in_words([form.positive, form.other])
    if form.always is not None:
        always = f"always {positive if form.needed <= 0 else other}"
        if not words:
            return Listing(always, ())
        say = "this statement says" if len(words) == 1 else f"these {len(words)} statements say"
        lines = _with_points(form, words)
        return Listing(f"{always}; {say} only how likely {positive} is:", lines)
    ending = f"otherwise {other}"
    if len(words) == 1 and form.needed == 1:
        [only] = words
        whole = Listing(only, ()) if isinstance(only, str) else only
        return whole._replace(heading=f"{positive}, if {whole.heading}", ending=ending)
    return Listing(f"{positive}, if {_condition(form)}:", _with_points(form, words), ending)


def _condition(form: Checklist) -> str:
    """What is needed, in words."""
    needed, count = f"{form.needed:g}", len(form.items)
    if form.has_points:
        return f"these {count} statements give at least {needed} of {form.total} points"
    if count == 1:
        return "this statement holds or is unknown"
    if form.needed == count:
        return (
            "both of these statements hold"
            if count == 2
            else f"all of these {count} statements hold"
        )
    if form.needed == 1:
        return f"any of these {count} statements holds"
    return f"at least {needed} of these {count} statements hold"


def _with_points(form: Checklist, words: Sequence[str | Listing]) -> tuple[str | Listing, ...]:
    if not form.has_points:
        return tuple(words)
    points = [item.points[0] for item in form.items]
    width = max(len(str(each)) for each in points)
    return tuple(
        put_before(f"{each:>{width}} point{'s:' if each > 1 else ': '} ", text)
        for each, text in zip(points, words, strict=True)
    )


def _chances(form: Checklist) -> list[str]:
    """How likely the positive class is at each count."""
    if not form.items:
        return []
    [positive] = labels_in_words([form.positive])
    what = "points" if form.has_points else "statements that hold"
    if form.total == 1:
        holds, fails = percent(form.probability(1)), percent(form.probability(0))
        return [f"Probability of {positive}: {holds} if the statement holds, {fails} if not."]
    if form.total >= MOST_COUNTS:
        return [
            f"The probability of {positive} is 1 / (1 + e^({all_digits(form.slope)} times "
            f"({all_digits(form.even)} - the number of {what})))."
        ]
    chances = (
        f"{percent(form.probability(count))} at {count}" for count in range(form.total + 1)
    )
    return [f"Probability of {positive} by the number of {what}: {', '.join(chances)}."]


def percent(probability: float) -> str:
    """A probability for people; only 0 is 0% and only 1 is 100%.

    >>> [percent(each) for each in (0.4321, 0.0321, 0.9999, 1e-9, 1.0)]
    ['43%', '3.2%', '>99.9%', '<0.1%', '100%']
    """
    if probability in (0, 1):
        return f"{probability:.0%}"
    if probability < 0.001:
        return "<0.1%"
    if probability > 0.999:
        return ">99.9%"
    return f"{probability:.0%}" if 0.1 <= probability <= 0.9 else f"{probability:.1%}"


# Several classes


def _cell(words: Words, statement: Expr) -> Cell:
    outline = words.outline(statement)
    parts = None if isinstance(outline, str) else outline
    return Cell(words.statement(statement), parts=parts)


def _score_card(form: ScoreCard, cells: Sequence[Cell]) -> Listing | Table:
    heads = labels_in_words(form.labels)
    if len(heads) == 1:
        return Listing(f"always {heads[0]}", ())
    if not form.items:
        first = max(range(len(heads)), key=lambda at: (form.bases[at], -at))
        return Listing(f"always {heads[first]}", ())
    rows = [
        [*(Cell(format_points(each), number=True) for each in item.points), cell]
        for item, cell in zip(form.items, cells, strict=True)
    ]
    if len(set(form.bases)) > 1:
        bases = (Cell(format_points(base), number=True) for base in form.bases)
        rows.insert(0, [*bases, Cell(TO_BEGIN_WITH)])
    return Table("Points for each class:", [*heads, "if"], rows)


def format_points(points: float) -> str:
    """Points or an amount with a sign.

    >>> format_points(2), format_points(-0.5), format_points(0)
    ('+2', '-0.5', '.')
    """
    return f"{'+' if points > 0 else ''}{all_digits(points)}" if points else NO_POINTS


def _card_notes(form: ScoreCard) -> list[str]:
    if len(form.labels) == 1 or not form.items:
        return []
    return [
        "The class with the most points is predicted, in a tie the first from the left.",
        f"The probability of a class is e^({all_digits(form.slope)} times its points), divided "
        "by the sum of this over all classes.",
    ]


def _text_of_table(table: Table) -> str:
    """A table as aligned text. The last column is as wide as it needs to be."""
    rows = [list(table.header), *([cell.text for cell in row] for row in table.rows)]
    widths = [max(len(row[at]) for row in rows) for at in range(len(table.header) - 1)]
    lines = [table.title]
    for row, cells in zip(rows, [None, *table.rows], strict=True):
        parts = cells[-1].parts if cells is not None else None
        first, *rest = [row[-1]] if parts is None else parts.text().split("\n")
        before = "  ".join(["", *map(str.rjust, row[:-1], widths), ""])
        lines += (before + first, *(" " * len(before) + line for line in rest))
    return "\n".join(lines)


# A number


def _number_card(form: NumberCard, words: Sequence[str | Listing]) -> Listing:
    head = head_of(form)
    if not words:
        return Listing(f"{head} = {all_digits(form.base)}, for every row", ())
    amounts = [f"+{all_digits(amount)}" for amount in form.amounts]
    width = max(map(len, amounts))
    lines = (
        put_before(f"{amount:<{width}}  if ", text)
        for amount, text in zip(amounts, words, strict=True)
    )
    return Listing(f"{head} = {all_digits(form.base)}, and", tuple(lines), bullet="")


def head_of(form: NumberCard) -> str:
    """What the sum of a number is called: the number, or its logarithm."""
    [name] = labels_in_words([form.label])
    return name if form.transform is None else TRANSFORMS[form.transform].written(name)


def _number_notes(form: NumberCard) -> list[str]:
    if form.transform is None:
        return []
    [name] = labels_in_words([form.label])
    minus, what = ("", name) if form.transform == "log" else (" - 1", f"1 + {name}")
    line = f"{name} = e^{head_of(form)}{minus}."
    if not form.items:
        return [line]
    factors = ", ".join(
        f"+{all_digits(amount)} is {what} times {math.exp(min(amount, 700.0)):.4g}"
        for amount in dict.fromkeys(form.amounts)
    )
    return [f"{line} So {factors}."]


# Missing and unknown values


def _unknown_note(form: NormalForm, or_new: bool, has_parts: bool) -> list[str]:
    """What counts where values are missing."""
    if not form.can_be_unknown or not form.items or _is_single_class(form):
        return []
    kinds = set(_kinds(item.expression for item in form.items))
    compound = kinds & {And, Or, Xor}
    counts = Squash in kinds
    gap = "missing, or not known" if or_new else "missing"
    lines = [f"A statement is unknown where a value that it needs is {gap}."]
    decided = []
    if Or in kinds:
        decided.append('"a or b" holds if one of them holds')
    if And in kinds:
        decided.append('"a and b" fails if one of them fails')
    if decided and compound:
        lines.append(f"Even so, {', and '.join(decided)}.")
    if counts:
        lines.append(
            "How many parts hold is unknown only where unknown parts could change the answer."
        )
    lines.append(_half_note(form))
    if has_parts:
        lines.append("The parts of a statement do not count by themselves.")
    return lines


def _kinds(exprs: Iterable[Expr]) -> Iterator[type[Expr]]:
    """What statements are made of; a count is one part, however it is written."""
    for expr in exprs:
        count = read_count(expr)
        yield type(expr) if count is None else Squash
        yield from _kinds(expr.parts if count is None else count.parts)


def _is_single_class(form: NormalForm) -> bool:
    return isinstance(form, ScoreCard) and len(form.labels) == 1


def _half_note(form: NormalForm) -> str:
    if isinstance(form, NumberCard):
        return "One that is unknown adds half of its amount."
    if isinstance(form, ScoreCard):
        return "One that is unknown gives half of its points."
    if form.has_points:
        return "One that is unknown gives half of its points."
    if len(form.items) == 1:
        return "One that is unknown counts half" + (
            ", which is not enough." if form.needed == 1 else "."
        )
    pairs = form.needed == 1
    return "One that is unknown counts half" + (
        ", so two of them count like one that holds." if pairs else "."
    )


def _known_values(rules: RuleSet, form: NormalForm) -> Iterator[str]:
    """The values of categories and truth values that statements speak of."""
    nodes = unique_nodes(item.expression for item in form.items)
    used = {node.index for node in nodes if isinstance(node, Var)}
    about = {
        each.feature
        for each in (rules.memberships[index] for index in used)
        if isinstance(each, Flag | Level)
    }
    if about:
        yield "Known values; any other is unknown:"
    for feature in sorted(about):
        levels = rules.levels[feature]
        assert levels is not None  # categories and truth values have levels
        yield f"  {name_in_words(rules.features[feature])}: {_values(levels)}"


def _values(levels: Levels) -> str:
    if levels == TRUTH:
        words = {
            truth: ["1" if truth else "0", *(w for w, t in TRUTH_WORDS.items() if t == truth)]
            for truth in (1.0, 0.0)
        }
        return f"yes ({', '.join(words[1.0])}), no ({', '.join(words[0.0])})"
    known = ", ".join(map(value_in_words, levels.names))
    others = ", ".join(map(value_in_words, levels.others))
    return "; ".join(filter(None, [known, f"other: {others}" if others else ""]))
