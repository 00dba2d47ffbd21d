"""Writes the expressions of a dashboard as recording rules, whose syntax promtool can check."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import yaml

VARIABLES = {"$__rate_interval": "5m", "$namespace": "tabiya"}


def main(path: str) -> None:
    board = json.loads(Path(path).read_text(encoding="utf-8"))
    rules = []
    for panel in board["panels"]:
        for target in panel.get("targets", ()):
            expression = target["expr"]
            for name, value in VARIABLES.items():
                expression = expression.replace(name, value)
            rules.append({"record": f"panel_{panel['id']}_{target['refId']}", "expr": expression})
    yaml.safe_dump({"groups": [{"name": "dashboard", "rules": rules}]}, sys.stdout)


if __name__ == "__main__":
    main(sys.argv[1])
