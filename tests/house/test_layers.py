"""Imports run one way, only the layers that may know Blender know it, and hosts call the engine without
inheriting from it.
"""

import ast
import sys
from pathlib import Path

import pytest

from tests.house.sources import nodes_of

ROOT = Path(__file__).resolve().parents[2]
NUMPY, SERIAL, BLENDER = (
    {"numpy"},
    {"serial"},
    {"bpy", "bmesh", "mathutils", "bpy_extras", "gpu", "gpu_extras", "blf", "bl_ui"},
)
THREADS, YAML, ZSTANDARD = {"threadpoolctl"}, {"ruamel"}, {"zstandard"}
WEB = {"h11", "wsproto"}  # packages of the page
DASK = {"distributed", "cloudpickle"}  # packages for a cluster
MAY_IMPORT = {  # layer -> other layers and packages, besides the standard library, that it may import
    "solvers": (set(), NUMPY),
    "files": (set(), YAML | ZSTANDARD),
    "motion": (set(), set()),
    "inputs": ({"files", "motion"}, WEB),
    "hardware": ({"files", "motion"}, SERIAL),
    "robots": ({"files", "solvers"}, set()),
    "character": ({"files", "motion", "robots", "solvers"}, NUMPY | THREADS),
    "player": ({"character", "files", "hardware", "inputs", "motion", "solvers"}, NUMPY),
    "rig": ({"files", "inputs", "solvers", "motion", "character", "hardware", "robots"}, NUMPY | BLENDER),
    "operators": (
        {"files", "inputs", "rig", "solvers", "motion", "character", "hardware", "robots"},
        NUMPY | BLENDER,
    ),
    "batch": ({"files", "hardware", "rig", "robots"}, BLENDER | DASK),
    "panels": ({"operators", "inputs", "rig", "solvers", "motion", "hardware"}, NUMPY | BLENDER),
}
RIG = (
    "blender",
    "bones",
    "scene",
    "chains",
    "bodies",
    "mechanisms",
    "showing",
    "behaviour",
    "properties",
    "live",
    "robot",
    "output",
    "authoring",
    "events",
)  # each may import those before it
HOSTS, ENGINE = ("rig", "operators", "panels", "batch", "player"), ("character", "solvers", "motion")
SOURCES = [path for layer in MAY_IMPORT for path in sorted((ROOT / layer).rglob("*.py"))]


def imports(path: Path) -> list[tuple[tuple[str, ...], bool]]:
    """Every import in a file: the parts of the full name, from the package's root if relative, and whether it
    is relative.
    """
    found: list[tuple[tuple[str, ...], bool]] = []
    folder = path.relative_to(ROOT).parent.parts
    for node in nodes_of(path):
        if isinstance(node, ast.Import):
            found += [(tuple(name.name.split(".")), False) for name in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            found.append((tuple((node.module or "").split(".")), False))
        elif isinstance(node, ast.ImportFrom):
            base = folder[: len(folder) - (node.level - 1)] + tuple(
                (node.module or "").split(".") if node.module else ()
            )
            found += [(base, True)] if base else [((name.name,), True) for name in node.names]
    return found


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_a_file_imports_only_what_its_layer_may_know(path: Path):
    layer = path.relative_to(ROOT).parts[0]
    layers, packages = MAY_IMPORT[layer]
    for name, relative in imports(path):
        allowed = {layer, *layers} if relative else {*sys.stdlib_module_names, *packages}
        assert name[0] in allowed, f"{'.'.join(name)} is not for {layer}/"


@pytest.mark.parametrize("package", RIG)
def test_a_package_of_the_host_imports_only_those_below_it(package: str):
    below = RIG[: RIG.index(package) + 1]
    for path in sorted((ROOT / "rig" / package).rglob("*.py")):
        above = {
            ".".join(name)
            for name, relative in imports(path)
            if relative and name[0] == "rig" and len(name) > 1 and name[1] not in below
        }
        assert not above, (
            f"{path.relative_to(ROOT).as_posix()} imports {', '.join(sorted(above))}, which is above it"
        )


def test_every_package_of_the_host_has_its_rank():
    assert {path.parent.name for path in (ROOT / "rig").glob("*/__init__.py")} == set(RIG)


def test_what_all_gaze_solvers_stand_on_imports_none_of_them():
    methods = {"erik", "expressive", "jacobian", "ccd", "bones", "sketch", "table"}
    shared = [
        path
        for path in sorted((ROOT / "solvers").rglob("*.py"))
        if path.relative_to(ROOT / "solvers").parts[0].removesuffix(".py") not in methods
    ]
    for path in shared:
        solvers = {
            name[1] for name, relative in imports(path) if relative and name[:1] == ("solvers",) and name[1:]
        }
        assert not solvers & methods, f"{path.relative_to(ROOT).as_posix()} imports {solvers & methods}"


def test_the_root_imports_no_blender_at_module_level():
    tree = ast.parse((ROOT / "__init__.py").read_text(encoding="utf-8"))
    assert not [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]


def imported_from(path: Path) -> dict[str, str]:
    """The layer from which a file imports a name, by the name."""
    folder = path.relative_to(ROOT).parent.parts
    layers: dict[str, str] = {}
    for node in nodes_of(path):
        if isinstance(node, ast.ImportFrom) and node.level:
            package = (*folder[: len(folder) - (node.level - 1)], *(node.module or "").split("."))
            layers |= {name.asname or name.name: package[0] or name.name for name in node.names}
    return layers


def bases(path: Path) -> list[tuple[str, str]]:
    """Each class of a file with the first name of each of its bases: `Stage` for `Stage[View]`, `stage` for
    `stage.Stage`.
    """
    pairs = [
        (node.name, base) for node in nodes_of(path) if isinstance(node, ast.ClassDef) for base in node.bases
    ]
    return [
        (name, next(part.id for part in ast.walk(base) if isinstance(part, ast.Name))) for name, base in pairs
    ]


@pytest.mark.parametrize("host", HOSTS)
def test_no_class_of_a_host_is_a_subclass_of_one_of_the_engine(host: str):
    for path in sorted((ROOT / host).rglob("*.py")):
        layers = imported_from(path)
        for name, base in bases(path):
            assert layers.get(base) not in ENGINE, (
                f"{path.relative_to(ROOT).as_posix()}: {name} is a subclass of {base}, of the engine"
            )
