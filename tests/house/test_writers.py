"""Tests that only `files/atomic.py` writes users' files, which never leaves half a file."""

import ast
from pathlib import Path

import pytest

from tests.house.sources import nodes_of

ROOT = Path(__file__).resolve().parents[2]
LAYERS = (
    "api.py",
    "batch",
    "character",
    "hardware",
    "motion",
    "operators",
    "panels",
    "rig",
    "robots",
    "solvers",
)
OTHERS = {
    "hardware/memory.py"
}  # the memory map between two processes, in the temporary folder: not a user's file
WRITES = {
    "write_text",
    "write_bytes",
    "mkstemp",
    "NamedTemporaryFile",
    "savez",
    "savez_compressed",
    "tofile",
    "savetxt",
    "save_render",
}
OF_MODULES = {
    ("os", "replace"),
    ("os", "rename"),
    ("np", "save"),
    ("json", "dump"),
    ("pickle", "dump"),
    ("shutil", "move"),
}
SOURCES = sorted(
    path
    for layer in LAYERS
    for path in ([ROOT / layer] if layer.endswith(".py") else (ROOT / layer).rglob("*.py"))
)


def mode_of(call: ast.Call, place: int) -> str:
    """The mode of an `open`: its argument number `place`, or the one with that name; "r" if there is none,
    "w" if it is computed.
    """
    given = (
        call.args[place]
        if len(call.args) > place
        else next((word.value for word in call.keywords if word.arg == "mode"), None)
    )
    if given is None:
        return "r"
    return given.value if isinstance(given, ast.Constant) and isinstance(given.value, str) else "w"


def writes(call: ast.Call) -> bool:
    """Whether a call writes to a file directly."""
    match call.func:
        case ast.Name(id="open"):
            return bool(set(mode_of(call, 1)) & set("wax+"))
        case ast.Attribute(value=ast.Name(id=module), attr=name) if (module, name) in OF_MODULES:
            return True
        case ast.Attribute(value=ast.Name(id="atomic")):
            return False
        case ast.Attribute(attr="open") if call.args or call.keywords:
            return bool(set(mode_of(call, 0)) & set("wax+")) and not isinstance(
                call.args[0] if call.args else None, ast.Name
            )
        case ast.Attribute(attr=name):
            return name in WRITES
    return False


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_no_module_writes_a_file_by_itself(path: Path):
    if path.relative_to(ROOT).as_posix() in OTHERS:
        return
    found = [node.lineno for node in nodes_of(path) if isinstance(node, ast.Call) and writes(node)]
    assert not found, (
        f"lines {found} write a file: use files/atomic.py, so that a full disk or a crash leaves the old one"
    )


@pytest.mark.parametrize(
    "text",
    [
        "path.write_text('x')",
        "path.open('w', encoding='utf-8')",
        "path.open(mode='ab')",
        "open(path, 'w')",
        "open(path, mode)",
        "os.replace(a, b)",
        "np.save(path, values)",
        "tempfile.mkstemp()",
    ],
)
def test_what_writes_is_found(text: str):
    (statement,) = ast.parse(text).body
    assert writes(statement.value)


READS = [
    "path.open('rb')",
    "path.open(encoding='utf-8')",
    "open(path)",
    "text.replace('a', 'b')",
    "atomic.write_text(p, t)",
]


@pytest.mark.parametrize("text", READS)
def test_what_reads_is_not(text: str):
    (statement,) = ast.parse(text).body
    assert not writes(statement.value)
