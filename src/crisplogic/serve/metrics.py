"""Metrics of the service, as the text that Prometheus reads."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

# The ends of the histogram of times, in seconds.
BUCKETS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

Labels = tuple[tuple[str, str], ...]
Sample = tuple[Labels, float]


class Metrics:
    r"""Counts requests and their times. One event loop counts, so nothing is locked.

    >>> metrics = Metrics(["/predict"])
    >>> metrics.begin()
    >>> metrics.end("/predict", 200, 0.002)
    >>> print("\n".join(metrics.lines({}, {})[:3]))
    # HELP crisplogic_requests_total Requests that were answered.
    # TYPE crisplogic_requests_total counter
    crisplogic_requests_total{path="/predict",status="200"} 1
    """

    def __init__(self, paths: Iterable[str]) -> None:
        self._paths = frozenset(paths)
        self._requests: Counter[tuple[str, int]] = Counter()
        self._buckets = [0] * (len(BUCKETS) + 1)
        self._seconds = 0.0
        self.in_flight = 0

    def begin(self) -> None:
        """A request has come."""
        self.in_flight += 1

    def end(self, path: str, status: int, seconds: float) -> None:
        """It was answered. All paths that there are not count as one."""
        self.in_flight -= 1
        self._requests[path if path in self._paths else "other", status] += 1
        self._buckets[bisect_left(BUCKETS, seconds)] += 1
        self._seconds += seconds

    def lines(self, predicted: Mapping[str, int], unseen: Mapping[str, int]) -> list[str]:
        """All metrics. ``predicted`` are rows by class, ``unseen`` are rows by column."""
        requests: list[Sample] = [
            ((("path", path), ("status", str(status))), count)
            for (path, status), count in sorted(self._requests.items())
        ]
        classes: list[Sample] = [((("class", name),), n) for name, n in predicted.items()]
        columns: list[Sample] = [((("column", name),), n) for name, n in unseen.items()]
        return [
            *_metric("requests_total", "counter", "Requests that were answered.", requests),
            *_metric("requests_in_flight", "gauge", "Requests now.", [((), self.in_flight)]),
            *_metric("predictions_total", "counter", "Rows predicted, by class.", classes),
            *_metric(
                "unseen_values_total",
                "counter",
                "Rows with a value that training never saw, by column.",
                columns,
            ),
            *self._histogram(),
        ]

    def _histogram(self) -> Iterator[str]:
        name = "crisplogic_request_seconds"
        yield f"# HELP {name} Times of requests, until all of the answer was sent."
        yield f"# TYPE {name} histogram"
        total = 0
        for end, count in zip((*map(str, BUCKETS), "+Inf"), self._buckets, strict=True):
            total += count
            yield f'{name}_bucket{{le="{end}"}} {total}'
        yield f"{name}_sum {self._seconds:.6f}"
        yield f"{name}_count {total}"


def _metric(name: str, kind: str, what: str, samples: Iterable[Sample]) -> Iterator[str]:
    yield f"# HELP crisplogic_{name} {what}"
    yield f"# TYPE crisplogic_{name} {kind}"
    for labels, value in samples:
        inside = ",".join(f'{key}="{_escape(text)}"' for key, text in labels)
        yield f"crisplogic_{name}{f'{{{inside}}}' if inside else ''} {value}"


def _escape(text: str) -> str:
    r"""The value of a label: names of columns may be any text.

    >>> print(_escape('a "b"'))
    a \"b\"
    """
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return escaped.encode("utf-8", "replace").decode()
