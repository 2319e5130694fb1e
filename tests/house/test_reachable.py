"""What a user can find: every verb has its place in a panel, which draws what is next too."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def verbs() -> set[str]:
    # those in successors.py answer to scripts of earlier versions alone
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
