"""Endpoints, and what is refused before anything is sent."""

from __future__ import annotations

import pytest

from tabiya import Client, Tls
from tabiya.connection import target


@pytest.mark.parametrize(
    ("endpoint", "place", "secure", "local"),
    [
        ("127.0.0.1:50051", "dns:///127.0.0.1:50051", False, True),
        ("http://localhost:50051/", "dns:///localhost:50051", False, True),
        ("https://chess.example", "dns:///chess.example:443", True, False),
        ("dns:///tabiya-headless.chess:50051", "dns:///tabiya-headless.chess:50051", False, False),
        ("[::1]:50051", "dns:///[::1]:50051", False, True),
        (["127.0.0.1:1", "http://localhost:2"], "ipv4:127.0.0.1:1,127.0.0.1:2", False, True),
        (["[::1]:1", "[::1]:2"], "ipv6:[::1]:1,[::1]:2", False, True),
        (["10.0.0.1:1", "127.0.0.1:2"], "ipv4:10.0.0.1:1,127.0.0.1:2", False, False),
    ],
)
def test_endpoints(endpoint: str | list[str], place: str, secure: bool, local: bool) -> None:
    assert target(endpoint) == (place, secure, local)


@pytest.mark.parametrize(
    ("endpoint", "reason"),
    [
        ([], "no endpoint"),
        (["http://127.0.0.1:1", "https://127.0.0.1:2"], "do not go together"),
        (["127.0.0.1:1", "[::1]:2"], "do not go together"),
        (["tabiya:1", "127.0.0.1:2"], "dns:///NAME:PORT"),
        ("http://127.0.0.1:1/path", "HOST:PORT"),
    ],
)
def test_endpoints_that_are_none(endpoint: str | list[str], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        target(endpoint)


def test_a_token_stays_out_of_the_clear() -> None:
    with pytest.raises(ValueError, match="in the clear"):
        Client("chess.example:50051", token="secret")
    Client("chess.example:50051", token="secret", insecure=True).close()
    Client("127.0.0.1:50051", token="secret").close()
    Client("https://chess.example", token="secret").close()


def test_half_a_pair_is_refused() -> None:
    with pytest.raises(ValueError, match="needs its key"):
        Client("127.0.0.1:1", tls=Tls(certificate=b"x"))
    with pytest.raises(ValueError, match="https"):
        Client("https://127.0.0.1:1", tls=False)
