"""Tests that a release has one version, above the last one, and news; otherwise nothing is written."""

import importlib.util
import re
import shutil
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = ("docs/guide/desk.md", "docs/player.md", "docs/raspberry_pi.md")
FILES = ("blender_manifest.toml", "pyproject.toml", "CHANGELOG.md", *PAGES)


@pytest.fixture(scope="module")
def release():
    sys.path.insert(0, str(ROOT / "scripts"))
    spec = importlib.util.spec_from_file_location("release", ROOT / "scripts" / "release.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    yield module
    sys.path.remove(str(ROOT / "scripts"))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """The files that a release changes, with news."""
    for name in FILES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    changelog = tmp_path / "CHANGELOG.md"
    changelog.write_text(
        "# What changed\n\n## Not released yet\n\n* **Something** new.\n\n## 0.1.0\n\n* The first.\n"
    )
    return tmp_path


def texts(root: Path) -> dict[str, str]:
    return {name: (root / name).read_text(encoding="utf-8") for name in FILES}


def test_the_version_stands_everywhere_and_the_news_have_its_number(release, root):
    before = texts(root)
    release.prepare(root, "98.7.6")
    after = texts(root)
    for name in FILES[:2]:
        assert 'version = "98.7.6"' in after[name]
        assert len(before[name].splitlines()) == len(after[name].splitlines())
    for name in PAGES:
        assert re.search(r"limber-98\.7\.6-py3\S* limber_kernel-98\.7\.6\.\d+-py3", after[name])
    kernels = re.findall(r"limber_kernel-(.*?)-", after["blender_manifest.toml"])
    assert len(kernels) == 6
    assert all(re.fullmatch(r"98\.7\.6\.\d+", kernel) for kernel in kernels)
    assert 'blender_version_min = "4.2.0"' in after["blender_manifest.toml"]
    assert 'schema_version = "1.0.0"' in after["blender_manifest.toml"]
    assert "## 98.7.6\n\n* **Something** new.\n\n## 0.1.0" in after["CHANGELOG.md"]


@pytest.mark.parametrize(
    ("version", "news", "sentence"),
    [
        ("next", True, "'next' is no version: give three numbers"),
        ("0.0.1", True, "0.0.1 is not above .*: give a higher one"),
        ("98.7.6", False, "nothing under '## Not released yet': say there"),
    ],
)
def test_what_is_no_release_is_refused_and_nothing_is_written(release, root, version, news, sentence):
    if not news:
        (root / "CHANGELOG.md").write_text(
            "# What changed\n\n## Not released yet\n\n## 0.1.0\n\n* The first.\n"
        )
    before = texts(root)
    with pytest.raises(release.ReleaseError, match=sentence):
        release.prepare(root, version)
    assert texts(root) == before


def test_a_file_without_a_version_is_named(release, root):
    (root / "pyproject.toml").write_text("[project]\n")
    with pytest.raises(release.ReleaseError, match=r"pyproject\.toml states no version"):
        release.prepare(root, "98.7.6")


def test_the_command_asks_for_a_version(release, capsys):
    assert release.main([]) == 1
    assert "name the version" in capsys.readouterr().err
