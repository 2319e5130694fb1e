"""Tests that no document contains the marks of an unresolved merge."""

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
MARKS = ("<<<<<<< ", "=======", ">>>>>>> ")


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_no_document_has_both_sides_of_a_merge(path: Path):
    lines = path.read_text(encoding="utf-8").splitlines()
    assert [number for number, line in enumerate(lines, 1) if line.startswith(MARKS)] == []
