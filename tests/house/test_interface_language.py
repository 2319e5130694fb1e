"""Tests that lines of panels stay in the language of Limber's buttons: Blender would translate single words
of its own among them, and users' names of bones and objects.
"""

import ast
from pathlib import Path

import pytest

from tests.house.sources import nodes_of

ROOT = Path(__file__).resolve().parents[2]
TEXTS = {"label": "text", "row": "heading", "column": "heading"}  # layout method -> its argument with a text
MODULES = [path for folder in ("panels", "operators") for path in sorted((ROOT / folder).rglob("*.py"))]


def translated(call: ast.Call) -> bool:
    """Whether a call draws a text that Blender would look up in its own catalogue."""
    if not isinstance(call.func, ast.Attribute):
        return False
    keywords = {keyword.arg: ast.unparse(keyword.value) for keyword in call.keywords}
    text = keywords.get(TEXTS.get(call.func.attr, ""), "''")
    return text != "''" and keywords.get("translate") != "False"


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_lines_of_panels_are_not_translated(path: Path):
    calls = (node for node in nodes_of(path) if isinstance(node, ast.Call))
    assert [f"line {call.lineno}" for call in calls if translated(call)] == []
