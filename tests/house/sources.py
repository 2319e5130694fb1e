"""Syntax trees of the project's files, each parsed once for all tests of a process."""

import ast
from functools import cache
from pathlib import Path


@cache
def nodes_of(path: Path) -> tuple[ast.AST, ...]:
    """All nodes of a file's syntax tree, as `ast.walk` yields them."""
    return tuple(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
