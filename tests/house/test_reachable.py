"""Tests that users can find every operator in a panel, which also draws the next step."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def verbs() -> set[str]:
    # except those in successors.py, which only serve scripts for earlier versions
    files = [file for file in (ROOT / "operators").rglob("*.py") if file.name != "successors.py"]
    return {
        f"limber.{name}"
        for file in files
        for name in re.findall(r"^class LIMBER_OT_(\w+)", file.read_text(), re.MULTILINE)
    }


def test_every_operator_can_be_reached_from_a_panel():
    drawn = "".join(
        file.read_text()
        for file in (*(ROOT / "panels").rglob("*.py"), ROOT / "rig" / "authoring" / "next_step.py")
    )
    assert len(verbs()) > 15
    assert {verb for verb in verbs() if f'"{verb}"' not in drawn} == set()
