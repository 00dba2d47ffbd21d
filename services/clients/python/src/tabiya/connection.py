"""Where servers are and how they are reached."""

from __future__ import annotations

import ipaddress
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Union
from urllib.parse import urlsplit

import grpc

Source = Union[str, Path, bytes]
"""A file's path, or the file's bytes."""

Token = Union[str, Callable[[], str]]
"""A bearer token, or a function that returns the current one."""


@dataclass(frozen=True)
class Tls:
    """Encryption. Without `ca` the roots that gRPC brings are trusted; with `certificate` and `key` both sides prove
    who they are. All in PEM."""

    ca: Source | None = None
    certificate: Source | None = None
    key: Source | None = None
    server_name: str | None = None
    """The name to expect in the server's certificate, where it is not the endpoint's."""


_BALANCED = json.dumps({"loadBalancingConfig": [{"round_robin": {}}]})


def target(endpoint: str | Sequence[str]) -> tuple[str, bool, bool]:
    """The endpoint in gRPC's words, whether it asks for encryption, and whether it is on this machine."""
    endpoints = [endpoint] if isinstance(endpoint, str) else list(endpoint)
    if not endpoints:
        raise ValueError("no endpoint")
    split = [_split(each) for each in endpoints]
    secure = {scheme == "https" for scheme, _ in split}
    if len(secure) > 1:
        raise ValueError("http and https endpoints do not go together")
    places = [place for _, place in split]
    local = all(_is_local(place) for place in places)
    if len(places) == 1:
        place = places[0]
        # Asks for every address of a name, so that calls are spread over all of them.
        return (place if ":///" in place or place.startswith("unix:") else f"dns:///{place}"), secure.pop(), local
    addresses = [_address(place) for place in places]
    versions = {version for version, _ in addresses}
    if len(versions) > 1:
        raise ValueError("IPv4 and IPv6 endpoints do not go together in a list")
    return f"ipv{versions.pop()}:" + ",".join(text for _, text in addresses), secure.pop(), local


def _split(endpoint: str) -> tuple[str, str]:
    """Scheme and place of an endpoint."""
    if not endpoint.startswith(("http://", "https://")):
        return "", endpoint
    url = urlsplit(endpoint)
    if url.path.strip("/") or url.query or not url.hostname:
        raise ValueError(f"{endpoint!r} is no endpoint: http(s)://HOST:PORT is")
    place = url.netloc if url.port is not None else f"{url.netloc}:{443 if url.scheme == 'https' else 80}"
    return url.scheme, place


def _host(place: str) -> str:
    return place.rpartition("/")[2].rpartition(":")[0].strip("[]")


def _is_local(place: str) -> bool:
    host = _host(place)
    if place.startswith("unix:") or host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _address(place: str) -> tuple[int, str]:
    """IP version and text of a member of a list."""
    host, port = _host(place), place.rpartition(":")[2]
    if host == "localhost":
        host = "127.0.0.1"
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        raise ValueError(
            f"{place!r}: a list takes addresses; a name with several addresses is one endpoint, dns:///NAME:PORT"
        ) from None
    return address.version, f"[{host}]:{port}" if address.version == 6 else f"{host}:{port}"


def connect(endpoint: str | Sequence[str], tls: Tls | bool | None, token: Token | None, insecure: bool) -> grpc.Channel:
    """A channel that spreads calls over all addresses and comes back by itself."""
    place, asked, local = target(endpoint)
    if tls is False and asked:
        raise ValueError("an https endpoint without encryption")
    encrypted = asked or bool(tls)
    if token is not None and not encrypted and not local and not insecure:
        raise ValueError("a token would travel in the clear: use https, or insecure=True")
    options: list[tuple[str, object]] = [
        ("grpc.service_config", _BALANCED),
        # A server that restarts is looked for at once, and often: the others carry its calls for as long.
        ("grpc.initial_reconnect_backoff_ms", 100),
        ("grpc.min_reconnect_backoff_ms", 500),
        ("grpc.max_reconnect_backoff_ms", 2_000),
        ("grpc.dns_min_time_between_resolutions_ms", 2_000),
        ("grpc.keepalive_time_ms", 30_000),
        ("grpc.keepalive_timeout_ms", 10_000),
    ]
    if place.startswith(("ipv4:", "ipv6:")):
        # By default the whole list would be the name of the host, which HTTP/2 refuses.
        options.append(("grpc.default_authority", place.partition(":")[2].partition(",")[0]))
    if not encrypted:
        return grpc.insecure_channel(place, options=options)
    settings = tls if isinstance(tls, Tls) else Tls()
    if (settings.certificate is None) != (settings.key is None):
        raise ValueError("a certificate needs its key, and a key its certificate")
    if settings.server_name is not None:
        options.append(("grpc.ssl_target_name_override", settings.server_name))
    credentials = grpc.ssl_channel_credentials(_read(settings.ca), _read(settings.key), _read(settings.certificate))
    return grpc.secure_channel(place, credentials, options=options)


def _read(source: Source | None) -> bytes | None:
    return source if source is None or isinstance(source, bytes) else Path(source).read_bytes()
