"""Guard: which requests the workbench answers. Other pages in the same browser may not ask.

A page elsewhere can send requests to this machine, but it neither knows the token nor may set
the header that carries it. A name that someone points at this machine is refused as host.
"""

from __future__ import annotations

import hmac
from collections.abc import Mapping

from crisplogic.errors import CrisplogicError

FORBIDDEN, WRONG_TYPE = 403, 415
HEADER = "x-crisplogic-token"
# Where a request says that it comes from, if it comes from the page itself or from no page.
OWN = ("same-origin", "none")

# What browsers do with an answer: keep nothing, show it in no frame, guess no type.
HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "frame-ancestors 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


class RefusedError(CrisplogicError, ValueError):
    """A request that is not answered. ``status`` is that of the answer in HTTP."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status


def check_page(
    headers: Mapping[str, str], hosts: frozenset[str], given: str, token: str
) -> None:
    """Whether the page may be shown: it was asked for by its own address, token included."""
    check_host(headers, hosts)
    if not _is_same(given, token):
        raise RefusedError(
            FORBIDDEN, "the token is missing or wrong; open the address that was printed"
        )


def check_change(headers: Mapping[str, str], hosts: frozenset[str], token: str) -> None:
    """Whether something may be changed: the page itself asks for it, and knows the token.

    >>> headers = {"host": "127.0.0.1:8001", "origin": "http://elsewhere.example"}
    >>> check_change(headers, frozenset({"127.0.0.1:8001"}), "secret")
    Traceback (most recent call last):
        ...
    crisplogic.workbench.guard.RefusedError: only the page of the workbench may ask this
    """
    check_host(headers, hosts)
    origin, site = headers.get("origin"), headers.get("sec-fetch-site", "none")
    is_own = origin is None or origin == f"http://{headers['host']}"
    if not is_own or site not in OWN:
        raise RefusedError(FORBIDDEN, "only the page of the workbench may ask this")
    if not _is_same(headers.get(HEADER, ""), token):
        raise RefusedError(FORBIDDEN, "the token is missing or wrong; load the page again")
    if headers.get("content-type", "").partition(";")[0].strip() != "application/json":
        raise RefusedError(WRONG_TYPE, "the body must be JSON")


def check_host(headers: Mapping[str, str], hosts: frozenset[str]) -> None:
    """Whether a request was sent to this machine by one of its own names."""
    if headers.get("host", "") not in hosts:
        raise RefusedError(FORBIDDEN, "the workbench answers at its own address alone")


def hosts_of(port: int) -> frozenset[str]:
    """The names of this machine that only itself can reach."""
    return frozenset(f"{name}:{port}" for name in ("127.0.0.1", "localhost", "[::1]"))


def _is_same(given: str, token: str) -> bool:
    """Compare without telling by the time how much is right."""
    return hmac.compare_digest(given.encode("utf-8", "replace"), token.encode())
