"""The socket of the service: answers leave at once, errors name the address."""

from __future__ import annotations

import socket

import pytest

from crisplogic.serve.server import address_of, listen


def test_the_second_part_of_an_answer_does_not_wait_for_the_first() -> None:
    """Else every answer takes 40 milliseconds, the time of a delayed acknowledgement."""
    with listen("127.0.0.1", 0) as listener:
        with socket.create_connection(listener.getsockname()):
            accepted, _ = listener.accept()
        with accepted:
            assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


def test_an_address_that_cannot_be_used_is_named() -> None:
    with listen("127.0.0.1", 0) as listener:
        port = listener.getsockname()[1]
        with pytest.raises(OSError, match=f"127.0.0.1:{port}"):
            listen("127.0.0.1", port)
    with pytest.raises(OSError, match="no such host"):
        listen("no such host", 0)


def test_an_address_of_ipv6_stands_in_brackets() -> None:
    try:
        listener = listen("::1", 0)
    except OSError:
        pytest.skip("this machine has no IPv6")
    with listener:
        assert address_of(listener).startswith("http://[::1]:")
