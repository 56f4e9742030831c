"""Options in groups that commands share, and options of two values: what typer has not."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import MISSING, fields, is_dataclass
from functools import wraps
from inspect import Parameter, Signature, signature
from typing import Any, get_type_hints

from typer.core import TyperCommand

Function = Callable[..., None]


class Command(TyperCommand):
    """A command in which an option whose metavar is two words takes two values each time."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        for parameter in self.params:
            if len((parameter.metavar or "").split()) == 2:
                parameter.nargs = 2


def grouped(function: Function) -> Function:
    """A command with an option for every field of the dataclasses that a function takes.

    >>> from dataclasses import dataclass
    >>> @dataclass
    ... class Place:
    ...     street: str
    ...     town: str = "Oslo"
    >>> def send(what: str, to: Place, at_once: bool = False) -> None:
    ...     print(what, to)
    >>> print(signature(grouped(send)))
    (*, what: str, street: str, town: str = 'Oslo', at_once: bool = False) -> None
    >>> grouped(send)(what="a letter", street="Karl Johans gate", town="Oslo")
    a letter Place(street='Karl Johans gate', town='Oslo')
    """
    hints = get_type_hints(function, include_extras=True)
    groups: dict[str, Any] = {name: kind for name, kind in hints.items() if is_dataclass(kind)}

    @wraps(function)
    def command(**given: Any) -> None:
        for name, kind in groups.items():
            own = {each.name: given.pop(each.name) for each in fields(kind)}
            given[name] = kind(**own)
        function(**given)

    found = [
        option
        for parameter in signature(function).parameters.values()
        for option in (
            _options(groups[parameter.name])
            if parameter.name in groups
            else [_option(parameter.name, hints[parameter.name], parameter.default)]
        )
    ]
    command.__annotations__ = {each.name: each.annotation for each in found} | {"return": None}
    setattr(command, "__signature__", Signature(found, return_annotation=None))  # noqa: B010
    return command


def _options(group: Any) -> Iterator[Parameter]:
    hints = get_type_hints(group, include_extras=True)
    for each in fields(group):
        default = Parameter.empty if each.default is MISSING else each.default
        yield _option(each.name, hints[each.name], default)


def _option(name: str, annotation: object, default: object) -> Parameter:
    return Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
