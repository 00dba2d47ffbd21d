"""Tokens and certificates, against a server that asks for them."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import grpc
import pytest

from conftest import Server
from tabiya import Client, RetryPolicy, TabiyaError, Tls, Unavailable

ONCE = RetryPolicy(attempts=1)


@dataclass(frozen=True)
class Secured:
    """A server that wants a certificate and a token, and what a caller needs for it."""

    server: Server
    ca: Path
    certificate: Path
    key: Path
    token: str

    @property
    def endpoint(self) -> str:
        return f"https://{self.server.address}"

    @property
    def tls(self) -> Tls:
        return Tls(ca=self.ca, certificate=self.certificate, key=self.key)


def certificate(folder: Path, name: str) -> None:
    """A key and a certificate that the folder's authority has signed."""
    (folder / "names").write_text("subjectAltName=IP:127.0.0.1\n")
    new = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", f"{name}.key"]
    sign = ["-CA", "ca.crt", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2", "-extfile", "names"]
    for command in (
        ["req", *new, "-subj", f"/CN={name}", "-out", f"{name}.csr"],
        ["x509", "-req", "-in", f"{name}.csr", *sign, "-out", f"{name}.crt"],
    ):
        subprocess.run(["openssl", *command], cwd=folder, check=True, capture_output=True)


@pytest.fixture(scope="module")
def secured(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Secured]:
    folder = tmp_path_factory.mktemp("secrets")
    authority = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"]
    authority += ["-keyout", "ca.key", "-out", "ca.crt", "-subj", "/CN=authority"]
    subprocess.run(["openssl", *authority], cwd=folder, check=True, capture_output=True)
    certificate(folder, "server")
    certificate(folder, "caller")
    made = [os.environ["TABIYA_BIN"], "token", "new", "tests", "--role", "read", "--role", "bulk"]
    token, _, entry = subprocess.run(made, check=True, capture_output=True, text=True).stdout.partition("\n")
    (folder / "callers.toml").write_text(entry)
    settings = {"tls-cert": "server.crt", "tls-key": "server.key", "tls-client-ca": "ca.crt", "tokens": "callers.toml"}
    server = Server(*(part for flag, file in settings.items() for part in (f"--{flag}", str(folder / file))))
    yield Secured(server, folder / "ca.crt", folder / "caller.crt", folder / "caller.key", token)
    server.kill()


def test_who_has_both_is_let_in(secured: Secured) -> None:
    with Client(secured.endpoint, tls=secured.tls, token=secured.token) as client:
        assert len(client.legal_moves().moves) == 20
        assert len(list(client.legal_moves_many([None] * 3))) == 3
    # The token may change while the client goes on; an address without a scheme is encrypted if certificates are given.
    with Client(secured.server.address, tls=secured.tls, token=lambda: secured.token) as client:
        assert len(client.legal_moves().moves) == 20


@pytest.mark.parametrize("token", [None, "tby_wrong"])
def test_who_has_no_token_is_not_known(secured: Secured, token: str | None) -> None:
    with Client(secured.endpoint, tls=secured.tls, token=token) as client, pytest.raises(TabiyaError) as refused:
        client.legal_moves()
    assert refused.value.code is grpc.StatusCode.UNAUTHENTICATED


def test_who_has_no_certificate_does_not_connect(secured: Secured) -> None:
    with Client(secured.endpoint, tls=Tls(ca=secured.ca), token=secured.token, retries=ONCE) as client:
        with pytest.raises(Unavailable):
            client.legal_moves()


def test_an_unknown_authority_is_not_trusted(secured: Secured) -> None:
    with Client(secured.endpoint, token=secured.token, retries=ONCE) as client, pytest.raises(Unavailable):
        client.legal_moves()
