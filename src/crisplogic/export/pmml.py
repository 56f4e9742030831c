"""PMML 4.4: scorecards with reason codes.

An attribute of a characteristic is chosen if its predicate is true. For a crisp statement, the
first says when it holds, the second when it fails, and the last is chosen if neither is known.
A graded one has a single attribute, whose score is computed.
"""

from __future__ import annotations

from collections.abc import Iterator
from xml.etree.ElementTree import Element

from crisplogic.export.about import About
from crisplogic.export.conditions import Condition, Fixed
from crisplogic.export.from_rules import make_program
from crisplogic.export.pmml_parts import (
    NUMBER,
    TEXT,
    Terms,
    apply,
    data_field,
    degree_value,
    degree_words,
    derived_field,
    logistic,
    mining_field,
    number_constant,
    predicate,
    reference,
    text_constant,
)
from crisplogic.export.program import (
    Amount,
    GradedStatement,
    Greatest,
    Program,
    Statement,
    Sum,
    Threshold,
)
from crisplogic.export.xml_text import document, element
from crisplogic.rules import RuleSet
from crisplogic.rules.rule import Label

NAMESPACE = "http://www.dmg.org/PMML-4_4"


def write_pmml(rules: RuleSet, about: About, *, proba: bool = False) -> str:
    """Scorecards. Their outputs are scores, the prediction, probabilities and reason codes."""
    return _Document(make_program(rules), proba).render(about.lines(rules))


def field_names(program: Program) -> tuple[str, list[str]]:
    """What the output fields with the prediction and the probabilities are called."""
    document = _Document(program, True)
    return document.prediction, document.chances


class _Document:
    """The document of one program: one scorecard, or one for each class in a chain."""

    def __init__(self, program: Program, proba: bool) -> None:
        self.program = program
        self.taken = {column.name for column in program.columns}
        single = len(program.sums) == 1
        self.scores = [
            self._free("score" if single else f"score_{at + 1}")
            for at in range(len(program.sums))
        ]
        self.prediction = self._free("prediction")
        labels = program.labels if proba else ()
        self.chances = [self._free(f"probability_{label}") for label in labels]
        self.degrees = [self._free(f"d{at + 1}") for at in range(len(program.degrees))]
        self.statements = [self._free(f"s{at + 1}") for at in range(len(program.statements))]

    def _free(self, name: str) -> str:
        """A name that no column has."""
        while name in self.taken:
            name += "_"
        self.taken.add(name)
        return name

    def render(self, about: list[str]) -> str:
        """The whole document."""
        from crisplogic import __version__

        application = element("Application", {"name": "crisplogic", "version": __version__})
        header = element("Header", {"description": about[0]}, [application])
        fields = [data_field(column) for column in self.program.columns]
        dictionary = element("DataDictionary", {"numberOfFields": str(len(fields))}, fields)
        cards = [self._scorecard(at) for at in range(len(self.scores))]
        model = cards[0] if len(cards) == 1 else self._chain(cards)
        root = element(
            "PMML",
            {"version": "4.4", "xmlns": NAMESPACE},
            [header, dictionary, *self._computed(), model],
        )
        return document(root, about)

    def _computed(self) -> Iterator[Element]:
        """Degrees and terms of graded rules: fields that scorecards read."""
        terms, fields = Terms(self.degrees), []
        for name, statement in zip(self.statements, self.program.statements, strict=True):
            if isinstance(statement, GradedStatement):
                value = terms.value(statement.expression)
                fields.append(derived_field(name, statement.words, value))
        if fields:
            yield element("TransformationDictionary", {}, [*self._degrees(terms.used), *fields])

    def _degrees(self, used: set[int]) -> Iterator[Element]:
        for at in sorted(used):
            degree = self.program.degrees[at]
            yield derived_field(self.degrees[at], degree_words(degree), degree_value(degree))

    def _chain(self, cards: list[Element]) -> Element:
        """Scorecards whose scores the last one compares."""
        segments = [
            element("Segment", {"id": str(at + 1)}, [element("True"), card])
            for at, card in enumerate(cards)
        ]
        chain = element("Segmentation", {"multipleModelMethod": "modelChain"}, segments)
        schema = element("MiningSchema", {}, list(map(mining_field, self._columns)))
        # What a scorecard adds up is an output of the whole only if it is asked for.
        outputs = [
            element(
                "OutputField",
                {"name": self._free(f"points_{at + 1}"), "feature": "predictedValue", **NUMBER}
                | {"segmentId": str(at + 1)},
            )
            for at in range(len(cards))
        ]
        return element(
            "MiningModel",
            {"modelName": "rules", "functionName": "regression"},
            [schema, element("Output", {}, outputs), chain],
        )

    @property
    def _columns(self) -> list[str]:
        return [column.name for column in self.program.columns]

    def _scorecard(self, at: int) -> Element:
        total = self.program.sums[at]
        is_last = at == len(self.scores) - 1
        earlier = self.scores[:at] if is_last else []
        fields = list(map(mining_field, [*self._columns, *earlier]))
        score = {"name": self.scores[at], "feature": "predictedValue", **NUMBER}
        outputs = [element("OutputField", score)]
        if is_last:
            outputs += [self._predicted(), *self._chances()]
        outputs += self._reasons(at)
        # Base and start are exact where rules are crisp. Elsewhere the base is added last, as
        # in the library: else a tie could be decided by rounding.
        first = self.program.crisp and total.factor == 1
        initial = total.base if first else total.factor * total.start
        return element(
            "Scorecard",
            {
                "modelName": self.scores[at],
                "functionName": "regression",
                "initialScore": repr(initial + 0.0),
                "useReasonCodes": "true",
                "reasonCodeAlgorithm": "pointsAbove",
                "baselineMethod": "other",
            },
            [
                element("MiningSchema", {}, fields),
                element("Output", {}, outputs),
                element("Characteristics", {}, [*self._items(total, not first)]),
            ],
        )

    def _items(self, total: Sum, with_base: bool) -> Iterator[Element]:
        """The characteristics of a sum; there is always one. A term may be there repeatedly."""
        before: list[int] = []
        for points, number in total.terms:
            statement, size = self.program.statements[number], points * total.factor
            attributes = (
                _attributes(statement, size)
                if isinstance(statement, Statement)
                else [_computed_attribute(size, self.statements[number])]
            )
            name, at = self.statements[number], sum(n == number for n in before)
            before.append(number)
            yield _characteristic(
                f"{name}_{at + 1}" if at else name, statement.words, attributes
            )
        if with_base or not total.terms:
            always = total.base if with_base else 0.0
            yield _characteristic("always", "always", [_attribute(always, Fixed(True))], always)

    def _predicted(self) -> Element:
        """The field with the class, or the number."""
        outcome = self.program.outcome
        named = {"name": self.prediction, "feature": "transformedValue"}
        if isinstance(outcome, Amount):
            function = {None: None, "log": "exp", "log1p": "expm1"}[outcome.transform]
            value = reference(self.scores[0])
            found = value if function is None else apply(function, value)
            return element("OutputField", {**named, **NUMBER}, [found])
        if isinstance(outcome, Threshold):
            needed = number_constant(outcome.needed)
            enough = apply("greaterOrEqual", reference(self.scores[0]), needed)
            found = apply("if", enough, _label(outcome.positive), _label(outcome.other))
        else:
            found = self._greatest(outcome)
        return element("OutputField", {**named, **TEXT}, [found])

    def _greatest(self, outcome: Greatest) -> Element:
        """The first class that no later one surpasses."""
        found = _label(outcome.labels[-1])
        for at in reversed(range(len(self.scores) - 1)):
            ahead = [
                apply("greaterOrEqual", reference(self.scores[at]), reference(other))
                for other in self.scores[at + 1 :]
            ]
            condition = ahead[0] if len(ahead) == 1 else apply("and", *ahead)
            found = apply("if", condition, _label(outcome.labels[at]), found)
        return found

    def _chances(self) -> Iterator[Element]:
        """A field with the probability of each class."""
        for at, name in enumerate(self.chances):
            named = {"name": name, "feature": "transformedValue"}
            yield element("OutputField", {**named, **NUMBER}, [self._chance(at)])

    def _chance(self, at: int) -> Element:
        outcome = self.program.outcome
        assert not isinstance(outcome, Amount)  # which has no classes
        if isinstance(outcome, Threshold):
            sign = -1 if outcome.labels[at] == outcome.positive else 1
            score = apply("-", reference(self.scores[0]), number_constant(outcome.even))
            return logistic(apply("*", number_constant(sign * outcome.slope), score))
        powers = [
            self._ahead(outcome, other, at) for other in range(len(self.scores)) if other != at
        ]
        return logistic(*powers) if powers else number_constant(1)

    def _ahead(self, outcome: Greatest, other: int, own: int) -> Element:
        """By how much the logit of another class is above that of one."""
        lead = apply("-", reference(self.scores[other]), reference(self.scores[own]))
        power = apply("*", number_constant(outcome.slope), lead)
        shift = outcome.shifts[other] - outcome.shifts[own]
        return apply("+", power, number_constant(shift)) if shift else power

    def _reasons(self, at: int) -> Iterator[Element]:
        """Fields for the statements that gave points, those that gave most first."""
        prefix = "reason" if len(self.scores) == 1 else f"reason_{at + 1}"
        for rank in range(1, len(self.program.sums[at].terms) + 1):
            name = {"name": self._free(f"{prefix}_{rank}")}
            yield element(
                "OutputField", {**name, "feature": "reasonCode", "rank": str(rank), **TEXT}
            )


def _characteristic(
    name: str, reason: str, attributes: list[Element], baseline: float = 0.0
) -> Element:
    """A part of a scorecard; it is a reason as far as its points are above the baseline."""
    named = {"name": name, "reasonCode": reason, "baselineScore": f"{baseline:.17g}"}
    return element("Characteristic", named, attributes)


def _attributes(statement: Statement, points: float) -> list[Element]:
    """The points of a crisp statement: if it holds, if it fails, and otherwise."""
    attributes = [_attribute(points, statement.holds)]
    last = 0.0
    if statement.fails is not None:
        attributes.append(_attribute(0.0, statement.fails))
        last = points / 2
    return [*attributes, _attribute(last, Fixed(True))]


def _attribute(points: float, condition: Condition) -> Element:
    return element("Attribute", {"partialScore": repr(points + 0.0)}, [predicate(condition)])


def _computed_attribute(points: float, field: str) -> Element:
    """The points of a graded statement."""
    value = reference(field)
    sized = value if points == 1 else apply("*", number_constant(points), value)
    computed = element("ComplexPartialScore", {}, [sized])
    return element("Attribute", {}, [predicate(Fixed(True)), computed])


def _label(label: Label) -> Element:
    return text_constant(str(label))
