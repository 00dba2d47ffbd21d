"""Writes the package's generated code when it is built, so that it is never out of date."""

from __future__ import annotations

import shutil
import tempfile
from importlib import resources
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

# Where the protos are: in an unpacked source distribution, and in the repository.
PLACES = ("proto", "../../../proto")


def generate(root: Path, out: Path) -> None:
    """Writes messages and their type stubs below `out`."""
    from grpc_tools import protoc

    protos = next(folder for place in PLACES if (folder := root / place / "tabiya" / "v1").is_dir())
    names = sorted(path.stem for path in protos.glob("*.proto"))
    arguments = [
        "protoc",
        f"-I{protos.parents[1]}",
        f"-I{root / 'src'}",
        f"-I{resources.files('grpc_tools') / '_proto'}",
        f"--python_out={out}",
        f"--pyi_out={out}",
        *(str(protos / f"{name}.proto") for name in names),
        str(root / "src" / "tabiya" / "details.proto"),
    ]
    if protoc.main(arguments) != 0:
        raise RuntimeError("protoc failed")
    lines = ['"""Every message and enum of the protocol."""', ""]
    lines += [f"from tabiya.v1.{name}_pb2 import *" for name in names]
    (out / "tabiya" / "v1" / "__init__.py").write_text("\n".join(lines) + "\n", encoding="utf-8")


class GeneratedCode(BuildHookInterface[Any]):
    """Adds the generated code to the wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        self.out = Path(tempfile.mkdtemp(prefix="tabiya-generated-"))
        generate(Path(self.root), self.out)
        licence = next(path for place in (".", "../../..") if (path := Path(self.root, place, "LICENSE")).is_file())
        shutil.copy(licence, self.out / "tabiya" / "LICENSE")
        build_data["force_include"][str(self.out / "tabiya")] = "tabiya"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        shutil.rmtree(self.out, ignore_errors=True)
