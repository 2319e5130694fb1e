"""What documents name is there: modules, pages, headings and pictures."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
FILE = re.compile(r"`((?:\w+/)+\w+\.py)`")
LINK = re.compile(r"\]\((?!https?:)([^)#\s]*)(?:#([^)\s]*))?\)")


def without_code(text: str) -> str:
    return re.sub(r"^```[^`]*^```$|^    [^\n]*$", "", text, flags=re.MULTILINE)


def anchors(path: Path) -> set[str]:
    """Of a page's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.+)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize(
    "path", [path for path in DOCUMENTS if path.name != "CHANGELOG.md"], ids=lambda path: path.relative_to(ROOT).as_posix()
)
def test_modules_that_a_document_names_exist(path: Path):
    assert [name for name in FILE.findall(path.read_text(encoding="utf-8")) if not (ROOT / name).exists()] == []


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_pages_headings_and_pictures_that_a_document_links_exist(path: Path):
    for target, anchor in LINK.findall(without_code(path.read_text(encoding="utf-8"))):
        file = (path.parent / target).resolve() if target else path
        assert file.exists(), f"{target} is not there"
        if anchor:
            assert anchor in anchors(file), f"{target or path.name} has no heading #{anchor}: {sorted(anchors(file))}"
