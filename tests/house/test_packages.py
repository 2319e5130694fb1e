"""Tests how the pictures of the code read the packages: which imports count, and which of them are against
the order.
"""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]


def script(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / "scripts" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


package_picture = script("package_picture")
packages = sys.modules["packages"]


def tree(root: Path, **files: str) -> Path:
    """A checkout with these files, each named by its path with `_` for `/`; every folder is a package with a
    docstring.
    """
    for name, text in files.items():
        file = root / f"{name.replace('_', '/')}.py"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        for folder in file.relative_to(root).parents[:-1]:
            (root / folder / "__init__.py").write_text(
                '"""What it is for. More of it."""\n', encoding="utf-8"
            )
    return root


@pytest.mark.parametrize(
    "text",
    [
        "from ...solvers import gaze",
        "from ...solvers.deep.goals import Goal",
        "from ... import solvers",
        "def f():\n    from ...solvers import gaze\n",
    ],
)
def test_relative_imports_count_in_all_their_forms_and_late_ones_too(tmp_path, text):
    root = tree(tmp_path, rig_live_stage=text, solvers_gaze="", solvers_deep_goals="")
    assert packages.imports(root) == {("rig/live", "solvers"): 1}


def test_sub_packages_of_rig_count_by_themselves_and_those_of_others_do_not(tmp_path):
    root = tree(
        tmp_path,
        rig_live_stage="from ..bones.deep import axes\nfrom .. import showing",
        rig_bones_deep_axes="from ....solvers.a import b",
        rig_showing_proxy="from . import other\nimport numpy",
        solvers_a_b="from ..c import d",
        solvers_c_d="",
        tests_x="from ..rig.live import stage",
    )
    assert packages.imports(root) == {
        ("rig/live", "rig/bones"): 1,
        ("rig/live", "rig/showing"): 1,
        ("rig/bones", "solvers"): 1,
    }
    assert [file.name for file in packages.files("rig/bones", root)] == [
        "__init__.py",
        "__init__.py",
        "axes.py",
    ]


def test_the_fewest_imports_run_back_up():
    counts = {("a", "b"): 5, ("b", "c"): 5, ("c", "a"): 1, ("a", "c"): 2, ("c", "d"): 1}
    graph, back = packages.one_way(counts, "abcd")
    assert back == [("c", "a")]
    assert graph == {"a": {"b", "c"}, "b": {"c"}, "c": {"d"}, "d": set()}
    assert packages.direct(graph) == {"a": {"b"}, "b": {"c"}, "c": {"d"}, "d": set()}
    assert packages.levels(graph) == {"a": 0, "b": 1, "c": 2, "d": 3}


def test_every_package_says_what_it_is_for_in_a_sentence():
    for name in packages.folders():
        sentence = packages.first_sentence(name)
        assert 10 < len(sentence) < 130, f"{name}/__init__.py: {sentence!r}"


def test_imports_between_packages_at_the_top_run_one_way(tmp_path):
    back = package_picture.draw(tmp_path / "packages.png")
    assert [pair for pair in back if not all(name.startswith("rig/") for name in pair)] == []
    assert (tmp_path / "packages.png").read_bytes()[:4] == b"\x89PNG"
