"""Checks custom resources among rendered manifests against deploy/schemas; a kind without a schema is an error."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import jsonschema
import yaml

SCHEMAS = Path(__file__).parents[2] / "deploy" / "schemas"
OWN_GROUPS = (".k8s.io",)


def is_custom(api_version: str) -> bool:
    """Whether a group is none of Kubernetes' own: those have no dot, or end in k8s.io."""
    group = api_version.rpartition("/")[0]
    return "." in group and not group.endswith(OWN_GROUPS)


def main(paths: list[str]) -> int:
    checked = 0
    faults: list[str] = []
    for path in paths:
        for document in yaml.safe_load_all(Path(path).read_text(encoding="utf-8")):
            if document is None or not is_custom(document["apiVersion"]):
                continue
            place = f"{path}: {document['kind']} {document['metadata']['name']}"
            schema = SCHEMAS / f"{document['kind']}.json"
            if not schema.is_file():
                faults.append(f"{place}: no schema in deploy/schemas")
                continue
            validator = jsonschema.Draft202012Validator(json.loads(schema.read_text(encoding="utf-8")))
            for error in validator.iter_errors(document):
                deepest = jsonschema.exceptions.best_match([error])
                faults.append(f"{place}: {deepest.json_path}: {deepest.message}")
            checked += 1
    print(*faults, sep="\n", file=sys.stderr)
    print(f"custom resources: {checked} checked, {len(faults)} wrong")
    return 1 if faults or not checked else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
