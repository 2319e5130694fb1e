"""Tests that Blender's side of the link never waits for a port: no function that it calls on the main thread
blocks.

`python -m benchmarks.link --figures` measures the duration of its calls while a port is stuck.
"""

import ast
from pathlib import Path

HARDWARE = Path(__file__).resolve().parents[2] / "hardware"
WAITING = {
    "wait",
    "join",
    "sleep",
    "communicate",
    "acquire",
    "select",
    "recv",
    "result",
    "check_output",
    "check_call",
    "run",
    "flock",
}
PORTS = {"serial", "transport", "ports", "termios", "socket"}


def blenders_side() -> dict[str, ast.Module]:
    """link.py and all of the package's modules that it imports, directly or indirectly."""
    trees: dict[str, ast.Module] = {}
    names = ["link"]
    while names:
        name = names.pop()
        path = HARDWARE / f"{name}.py"
        if name not in trees and path.exists():
            trees[name] = ast.parse(path.read_text(encoding="utf-8"))
            names += imported(trees[name])
    return trees


def imported(tree: ast.Module) -> list[str]:
    names = []
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            names += [(node.module or "").split(".")[0], *(alias.name for alias in node.names)]
        elif isinstance(node, ast.Import):
            names += [alias.name.split(".")[0] for alias in node.names]
    return names


def calls(tree: ast.AST) -> list[str]:
    """The names of called functions."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            found += (
                [node.func.attr]
                if isinstance(node.func, ast.Attribute)
                else [node.func.id]
                if isinstance(node.func, ast.Name)
                else []
            )
    return found


def functions(tree: ast.Module) -> dict[str, ast.FunctionDef]:
    return {node.name: node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


def test_blenders_side_knows_no_port():
    sides = blenders_side()
    assert {"memory", "shutdown"} <= set(sides)
    for name, tree in sides.items():
        assert not PORTS & set(imported(tree)), name


def test_no_call_on_the_main_thread_waits():
    for name, tree in blenders_side().items():
        if name == "shutdown":
            continue
        text_joins = [  # joins of texts and paths, as in ", ".join(...), which do not wait
            node
            for node in ast.walk(tree)
            if isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and isinstance(node.func.value, ast.Constant)
        ]
        assert not WAITING & set(calls(tree)) or [call for call in calls(tree) if call in WAITING] == [
            "join"
        ] * len(text_joins), name


def test_a_worker_that_leaves_is_waited_for_by_a_thread_or_where_blender_ends():
    sides = blenders_side()
    shutdown, link = functions(sides["shutdown"]), functions(sides["link"])
    waiting = {name for name, function in shutdown.items() if "wait" in calls(function)}
    assert waiting == {"_wait"}
    assert {name for name, function in shutdown.items() if "_wait" in calls(function)} == {"shut_down"}
    mentions = {
        name
        for name, function in link.items()
        for node in ast.walk(function)
        if getattr(node, "id", "") == "shut_down"
    }
    assert mentions == {"_close_at_exit"}
    assert "_close_at_exit" not in calls(sides["link"])
