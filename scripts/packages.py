"""The extension's packages and the imports between them, read from its source.

Packages are those at the top and the sub-packages of `rig`, as `rig/name`. An import inside a function counts
like any other.
"""

import ast
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SPLIT = "rig"  # package whose sub-packages count as packages
NOT_SHIPPED = {"benchmarks", "demo", "scripts", "tests"}

Graph = dict[str, set[str]]  # importing package -> packages that it imports
Counts = dict[tuple[str, str], int]  # (importing package, imported package) -> number of imported names


def folders(root: Path = ROOT) -> dict[str, Path]:
    """Package -> its folder, for all shipped packages of the checkout and the sub-packages of `SPLIT`."""
    top = {
        path.parent.name: path.parent
        for path in sorted(root.glob("*/__init__.py"))
        if path.parent.name not in NOT_SHIPPED
    }
    return top | {
        f"{SPLIT}/{path.parent.name}": path.parent for path in sorted((root / SPLIT).glob("*/__init__.py"))
    }


def files(name: str, root: Path = ROOT) -> list[Path]:
    """The Python files of a package, without those of sub-packages that count as packages themselves."""
    every = sorted(folders(root)[name].rglob("*.py"))
    return [file for file in every if package(file.parent.relative_to(root).parts) == name]


def package(parts: tuple[str, ...]) -> str:
    """Name of the package of a folder, given by its parts from the root; "" for the root itself."""
    return "/".join(parts[:2] if parts[:1] == (SPLIT,) else parts[:1])


def imports(root: Path = ROOT) -> Counts:
    """Number of names that each package imports from each other one by relative imports; pairs without are
    left out.
    """
    names = folders(root)
    counts = Counter(
        (name, other) for name in names for file in files(name, root) for other in _imported(file, root)
    )
    return {
        (name, other): count
        for (name, other), count in sorted(counts.items())
        if other in names and other != name
    }


def _imported(file: Path, root: Path) -> Iterator[str]:
    """The package of each name that a file imports by relative imports, including the file's own package."""
    folder = file.parent.relative_to(root).parts
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level:
            module = node.module.split(".") if node.module else []
            for name in node.names:
                parts = (*folder[: len(folder) - node.level + 1], *module, name.name)
                while parts and not (root.joinpath(*parts) / "__init__.py").exists():
                    parts = parts[:-1]
                yield package(parts)


def one_way(counts: Counts, names: Iterable[str]) -> tuple[Graph, list[tuple[str, str]]]:
    """The imports between these packages that lead to lower packages, and those that lead to higher ones.

    Packages are ordered so that as few imported names as possible lead upward; the order is found by
    moving one package at a time to its best position.
    """
    order = sorted(names)
    known = set(order)
    counts = {pair: count for pair, count in counts.items() if known.issuperset(pair)}

    def upward(order: list[str]) -> list[tuple[str, str]]:
        return [(name, other) for name, other in counts if order.index(name) > order.index(other)]

    def cost(order: list[str]) -> int:
        return sum(counts[pair] for pair in upward(order))

    def moved(name: str, index: int) -> list[str]:
        rest = [other for other in order if other != name]
        return [*rest[:index], name, *rest[index:]]

    while True:
        better = min((moved(name, index) for name in order for index in range(len(order))), key=cost)
        if cost(better) >= cost(order):
            break
        order = better
    back = upward(order)
    return {
        name: {other for package, other in counts if package == name and (package, other) not in back}
        for name in order
    }, back


def reachable(graph: Graph, name: str) -> set[str]:
    """Packages that a package imports, directly or through others."""
    reached: set[str] = set()
    left = set(graph[name])
    while left:
        reached |= left
        left = {further for other in left for further in graph[other]} - reached
    return reached


def direct(graph: Graph) -> Graph:
    """An acyclic graph without the imports that follow from others."""
    return {
        name: {other for other in imported if not any(other in reachable(graph, by) for by in imported)}
        for name, imported in graph.items()
    }


def levels(graph: Graph) -> dict[str, int]:
    """Level of each package in an acyclic graph: its longest distance from a package that nothing imports."""

    def level(name: str) -> int:
        return max((level(other) + 1 for other in graph if name in graph[other]), default=0)

    return {name: level(name) for name in graph}


def first_sentence(name: str, root: Path = ROOT) -> str:
    """First sentence of a package's docstring."""
    text = (
        ast.get_docstring(ast.parse((folders(root)[name] / "__init__.py").read_text(encoding="utf-8"))) or ""
    )
    paragraph = " ".join(text.split("\n\n")[0].split())
    return paragraph.split(". ")[0].rstrip(".").replace("`", "")
