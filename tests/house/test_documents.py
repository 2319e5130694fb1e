"""What documents name is there: modules, pages, headings and pictures, buttons and messages."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
FILE = re.compile(r"`((?:\w+/)+\w+\.py)`")
GUIDES = (
    "robot_families",
    "robots",
    "safety",
    "troubleshooting",
    "unexpected_motion",
    "push_rods",
    "retarget",
    "remote",
)  # pages for users outside of guide/ and robots/
USERS = [
    path
    for path in DOCUMENTS
    if path.parent in (ROOT / "docs" / "guide", ROOT / "docs" / "robots") or path.name.startswith(GUIDES)
]
PACKAGES = (
    "batch",
    "character",
    "files",
    "hardware",
    "inputs",
    "motion",
    "operators",
    "panels",
    "rig",
    "robots",
    "solvers",
)
NAME = re.compile(r"\*\*([A-Z][^*\n]*[^*.\n])\*\*")  # in bold; sentences end with a full stop
MESSAGE = re.compile(r'"([^"\n]+)"')
SCREENS = 1150  # words on three screens, tables included
OTHERS = {
    "MJCF",
    "Motion Capture (.bvh)",
}  # bold words that are no names in the interface, or are Blender's own
IMPORTED = re.compile(r"from (?:bl_ext\.user_default\.)?limber((?:\.\w+)*) import ([\w, ]+)")  # in examples
LINK = re.compile(r"\]\((?!https?:)([^)#\s]*)(?:#([^)\s]*))?\)")


def without_code(text: str) -> str:
    return re.sub(r"^```[^`]*^```$|^    [^\n]*$", "", text, flags=re.MULTILINE)


def anchors(path: Path) -> set[str]:
    """Of a page's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.+)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize(
    "path",
    [path for path in DOCUMENTS if path.name != "CHANGELOG.md"],
    ids=lambda path: path.relative_to(ROOT).as_posix(),
)
def test_modules_that_a_document_names_exist(path: Path):
    assert [
        name for name in FILE.findall(path.read_text(encoding="utf-8")) if not (ROOT / name).exists()
    ] == []


def source_of(module: Path) -> Path:
    return module / "__init__.py" if module.is_dir() else module.with_suffix(".py")


def defined_in(module: Path) -> set[str]:
    """Names that a module, given without its suffix, defines or imports at its top level."""
    found = set()
    for node in ast.parse(source_of(module).read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.ImportFrom | ast.Import):
            found |= {each.asname or each.name for each in node.names}
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            found |= {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
    return found


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_names_that_an_example_imports_or_calls_exist(path: Path):
    text, missing = path.read_text(encoding="utf-8"), []
    for dotted, names in IMPORTED.findall(text):
        folder = ROOT.joinpath(*dotted.split(".")[1:])
        for name in (each.strip() for each in names.split(",")):
            if source_of(folder / name).exists():
                called = set(re.findall(rf"\b{name}\.(\w+)\(", text))
                missing += [f"{name}.{each}" for each in sorted(called - defined_in(folder / name))]
            elif name not in defined_in(folder):
                missing.append(f"{dotted}.{name}")
    assert missing == []


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_pages_headings_and_pictures_that_a_document_links_exist(path: Path):
    for target, anchor in LINK.findall(without_code(path.read_text(encoding="utf-8"))):
        file = (path.parent / target).resolve() if target else path
        assert file.exists(), f"{target} is not there"
        if anchor:
            assert anchor in anchors(file), (
                f"{target or path.name} has no heading #{anchor}: {sorted(anchors(file))}"
            )


@cache
def texts() -> set[str]:
    """Texts in the program, in lower case, with ... for what a message fills in."""
    found = set()
    for path in (path for name in PACKAGES for path in (ROOT / name).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            parts = node.values if isinstance(node, ast.JoinedStr) else [node]
            values = [
                part.value if isinstance(part, ast.Constant) else "..."
                for part in parts
                if isinstance(part, ast.expr)
            ]
            if any(isinstance(value, str) and value != "..." for value in values):
                found.add("".join(map(str, values)).lower())
    return found


@pytest.mark.parametrize("path", USERS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_buttons_and_panels_that_a_guide_names_in_bold_exist(path: Path):
    named = {name for bold in NAME.findall(path.read_text(encoding="utf-8")) for name in bold.split(" > ")}
    assert {name for name in named - OTHERS if name.lower() not in texts()} == set()


@pytest.mark.parametrize(
    "path",
    [path for path in USERS if path.name.startswith(("troubleshooting", "retarget"))],
    ids=lambda path: path.name,
)
def test_messages_that_a_page_quotes_are_the_program_s(path: Path):
    everything = "\n".join(texts())
    pieces = {
        piece
        for quoted in MESSAGE.findall(without_code(path.read_text(encoding="utf-8")))
        for piece in quoted.split(" ... ")
    }
    assert {piece for piece in pieces if piece.lower() not in everything} == set()


@pytest.mark.parametrize("path", USERS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_a_page_for_users_fits_on_three_screens(path: Path):
    assert len(path.read_text(encoding="utf-8").split()) <= SCREENS, "make two pages of it"
