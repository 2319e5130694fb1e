"""What a user can find: every verb has its place in a panel, another verb's menu or the keymap."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def verbs() -> set[str]:
    return {verb for file in (ROOT / "operators").rglob("*.py") for verb in re.findall(r'bl_idname = "(limber\.\w+)"', file.read_text())}


def test_every_operator_can_be_reached_from_a_panel():
    drawn = "".join(file.read_text() for file in (ROOT / "panels").rglob("*.py"))
    assert len(verbs()) > 15
    assert {verb for verb in verbs() if f'"{verb}"' not in drawn} == set()
