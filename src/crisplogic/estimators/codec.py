"""Values of a fitted estimator as JSON and arrays, and back.

Only the classes that are listed here can come out of a file, each with fields of the types that
it declares. All else is plain: numbers, text, lists, tuples, sets, dictionaries, arrays. An
object of JSON has a ``type``; lists, numbers and text stand for themselves.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, Field, fields, is_dataclass
from typing import Any, get_type_hints

import numpy as np
from numpy.typing import NDArray

from crisplogic.archive import KINDS
from crisplogic.constraints.limits import Limits
from crisplogic.errors import EstimatorFileError
from crisplogic.estimators.encoder import FeatureEncoder
from crisplogic.estimators.type_hints import has_type
from crisplogic.nn import LogicNetwork
from crisplogic.nn.restore import restore_network
from crisplogic.rules import (
    AllRows,
    ClassEvidence,
    ClassSnapReport,
    Flag,
    Frontier,
    Level,
    LevelMoves,
    Missing,
    NumberEvidence,
    NumberSnapReport,
    RuleSet,
    Stability,
    Step,
)
from crisplogic.rules.held_out import HeldOut
from crisplogic.rules.serialize_frontier import (
    frontier_entries,
    points_from,
    rules_document,
    rules_from,
)
from crisplogic.tables import Levels
from crisplogic.training import Epoch

Json = Any

# The dataclasses that a file may hold, by name.
PARTS: dict[str, type] = {
    part.__name__: part
    for part in (
        AllRows,
        ClassEvidence,
        ClassSnapReport,
        Epoch,
        FeatureEncoder,
        Flag,
        HeldOut,
        Level,
        LevelMoves,
        Levels,
        Limits,
        Missing,
        NumberEvidence,
        NumberSnapReport,
        Stability,
        Step,
    )
}


def register(part: type) -> type:
    """Let files hold a dataclass, too. Its fields are plain, or registered as well."""
    PARTS[part.__name__] = part
    return part


class Writer:
    """Turns values into JSON; arrays are put aside in ``arrays`` and named.

    >>> writer = Writer()
    >>> writer.write({"age": (40, float("inf"))}, "cuts")["type"]
    'dict'
    >>> Reader(writer.arrays).read(writer.write({"age": (40, float("inf"))}, "cuts"))
    {'age': (40, inf)}
    """

    def __init__(self) -> None:
        self.arrays: dict[str, NDArray[Any]] = {}

    def write(self, value: Any, name: str) -> Json:
        """A value as JSON; ``name`` is what an error calls it."""
        if isinstance(value, np.generic):
            value = value.item()
        if value is None or isinstance(value, bool | int | str):
            return value
        if isinstance(value, float):
            return value if math.isfinite(value) else {"type": "float", "value": str(value)}
        if isinstance(value, list):
            return self._items(value, name)
        if isinstance(value, tuple):
            return {"type": "tuple", "items": self._items(value, name)}
        if isinstance(value, set | frozenset):
            kind = "set" if isinstance(value, set) else "frozenset"
            return {"type": kind, "items": self._items(sorted(value, key=repr), name)}
        if isinstance(value, Mapping):
            items = [[self.write(key, name), self.write(value[key], name)] for key in value]
            return {"type": "dict", "items": items}
        if isinstance(value, np.ndarray):
            return self._array(value, name)
        if isinstance(value, np.random.RandomState):
            return self._random_state(value, name)
        if isinstance(value, RuleSet):
            return {"type": "RuleSet", "document": rules_document(value)}
        if isinstance(value, Frontier):
            return {**self._fields(value, name, "points"), "points": frontier_entries(value)}
        if isinstance(value, LogicNetwork):
            return self._network(value, name)
        if PARTS.get(type(value).__name__) is type(value):
            return self._fields(value, name)
        raise EstimatorFileError(
            f"{name} holds a {type(value).__name__}, which an estimator file cannot hold; it "
            "holds numbers, text, lists, tuples, sets, dictionaries and arrays of these"
        )

    def _items(self, values: Sequence[Any], name: str) -> list[Json]:
        return [self.write(value, name) for value in values]

    def _fields(self, value: Any, name: str, *apart: str) -> Json:
        """All fields of a dataclass, but for those that are written ``apart``."""
        written = {
            field.name: self.write(getattr(value, field.name), f"{name}.{field.name}")
            for field in _init_fields(type(value))
            if field.name not in apart
        }
        return {"type": type(value).__name__, "fields": written}

    def _array(self, array: NDArray[Any], name: str) -> Json:
        if array.dtype.kind == "O" and array.ndim == 1:
            return {"type": "objects", "items": self._items(array.tolist(), name)}
        if array.dtype.kind not in KINDS:
            raise EstimatorFileError(
                f"{name} is an array of {array.dtype}, which an estimator file cannot hold; "
                "use one of numbers or text"
            )
        key = str(len(self.arrays))
        self.arrays[key] = array
        return {"type": "array", "name": key}

    def _random_state(self, random_state: np.random.RandomState, name: str) -> Json:
        state = random_state.get_state(legacy=False)
        if state["bit_generator"] != "MT19937":
            raise EstimatorFileError(
                f"{name} is a generator of kind {state['bit_generator']}, which an estimator "
                "file cannot hold; give a whole number"
            )
        return {"type": "RandomState", "state": self.write(state, name)}

    def _network(self, network: LogicNetwork, name: str) -> Json:
        state = network.state_dict().items()
        return {
            "type": "LogicNetwork",
            "shape": self.write(network.shape, name),
            "limits": self.write(network.limits, name),
            "snapped": any(fuzzy.snapped for fuzzy, _ in network.levels()),
            "state": self.write({key: each.cpu().numpy() for key, each in state}, name),
        }


class Reader:
    """Turns JSON and arrays into the values that they were made from, and checks them."""

    def __init__(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        self.arrays = arrays

    def read(self, entry: Json, kind: Any = Any, name: str = "it") -> Any:
        """The value of an entry, which must be of this ``kind``, a type hint."""
        value = self._read(entry)
        if not has_type(value, kind):
            raise EstimatorFileError(
                f"{name} must be of type {getattr(kind, '__name__', kind)}, got {value!r:.80}"
            )
        return value

    def _read(self, entry: Json) -> Any:
        if isinstance(entry, list):
            return [self._read(item) for item in entry]
        if not isinstance(entry, dict):
            return entry
        kind = entry["type"]
        if kind in PARTS:
            part = PARTS[kind]
            return part(**self._fields(part, entry["fields"]))
        if kind not in _READERS:
            raise EstimatorFileError(f"there is no type {kind!r:.50}")
        return _READERS[kind](self, entry)

    def _fields(self, part: type, entries: dict[str, Json]) -> dict[str, Any]:
        """The fields of a dataclass, each of the type that it declares."""
        hints = get_type_hints(part)
        known = {field.name: field for field in _init_fields(part)}
        for name in entries:
            if name not in known:
                raise EstimatorFileError(f"{part.__name__} has no field {name!r:.50}")
        for name, field in known.items():
            has_default = field.default is not MISSING or field.default_factory is not MISSING
            if name not in entries and not has_default:
                raise EstimatorFileError(f"{part.__name__} needs the field {name!r}")
        return {
            name: self.read(entry, hints[name], f"{part.__name__}.{name}")
            for name, entry in entries.items()
        }

    def _array(self, entry: dict[str, Json]) -> NDArray[Any]:
        return self.arrays[entry["name"]]

    def _objects(self, entry: dict[str, Json]) -> NDArray[Any]:
        values = self._read(entry["items"])
        array = np.empty(len(values), dtype=object)
        array[:] = values
        return array

    def _dict(self, entry: dict[str, Json]) -> dict[Any, Any]:
        return {self._read(key): self._read(value) for key, value in entry["items"]}

    def _float(self, entry: dict[str, Json]) -> float:
        return {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}[entry["value"]]

    def _random_state(self, entry: dict[str, Json]) -> np.random.RandomState:
        state = self.read(entry["state"], dict, "the state of a generator")
        # numpy checks the rest, but would read beyond the end of its numbers.
        if not has_type(state["state"]["pos"], int) or not 0 <= state["state"]["pos"] <= 624:
            raise EstimatorFileError("the state of a generator is not sound")
        random_state = np.random.RandomState()
        random_state.set_state(state)
        return random_state

    def _frontier(self, entry: dict[str, Json]) -> Frontier:
        others = {name: each for name, each in entry["fields"].items() if name != "points"}
        hints = get_type_hints(Frontier)
        read = {name: self.read(each, hints[name], name) for name, each in others.items()}
        return Frontier(points_from(entry["points"]), **read)

    def _network(self, entry: dict[str, Json]) -> LogicNetwork:
        limits = self.read(entry["limits"], Limits | None, "limits")
        shape, state = (self.read(entry[name], dict, name) for name in ("shape", "state"))
        network = restore_network(shape, state, limits)
        network.snap(self.read(entry["snapped"], bool, "snapped"))
        return network


_READERS: dict[str, Callable[[Reader, dict[str, Json]], Any]] = {
    "array": Reader._array,
    "objects": Reader._objects,
    "tuple": lambda reader, entry: tuple(reader.read(entry["items"], list)),
    "set": lambda reader, entry: set(reader.read(entry["items"], list)),
    "frozenset": lambda reader, entry: frozenset(reader.read(entry["items"], list)),
    "dict": Reader._dict,
    "float": Reader._float,
    "RandomState": Reader._random_state,
    "RuleSet": lambda reader, entry: rules_from(entry["document"]),
    "Frontier": Reader._frontier,
    "LogicNetwork": Reader._network,
}


def _init_fields(part: type) -> list[Field[Any]]:
    assert is_dataclass(part)
    return [field for field in fields(part) if field.init]
