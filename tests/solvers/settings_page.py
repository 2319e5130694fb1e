"""Writes docs/solver_settings.md: every setting of every solver, as panels show it.

python -m tests.solvers.settings_page
"""

from math import degrees, isinf
from pathlib import Path

from checkout import load_limber

load_limber()

from limber.solvers.settings import Setting, settings_of  # noqa: E402
from limber.solvers.table import SOLVERS, SolverInfo  # noqa: E402

PAGE = Path(__file__).resolve().parents[2] / "docs" / "solver_settings.md"
TOP = """# Settings of the solvers

`python -m tests.solvers.settings_page` wrote this page from the options' dataclasses in `solvers/`, of which panels and tooltips are made
as well. Each solver has settings of its own. Those in bold are on the panel *Solver Options*, the others in its part *Advanced*, whose
**Reset to Defaults** resets both. Keyframes and drivers work on all of them.
"""


def text() -> str:
    """Text of the page, with a table for each package of solvers."""
    packages: dict[str, list[SolverInfo]] = {}
    for info in SOLVERS.values():
        if info.option_of:
            continue
        packages.setdefault(info.options.__module__ if info.options else "", []).append(info)
    parts = [TOP]
    for infos in packages.values():
        rows: dict[tuple[str, str], list[tuple[SolverInfo, Setting]]] = {}
        for info in infos:
            for each in settings_of(info.options).values():
                rows.setdefault((each.label, each.description), []).append((info, each))
        heading = "| setting | default | values | what it is |\n|---|---|---|---|\n"
        parts.append(
            f"## {', '.join(info.label for info in infos)}\n\n{heading}{''.join(_row(row, len(infos)) for row in rows.values())}"
        )
    return "\n".join(parts)


def _row(row: list[tuple[SolverInfo, Setting]], in_package: int) -> str:
    info, each = row[0]
    label = f"**{each.label}**" if each.is_usual else each.label
    defaults: dict[str, list[str]] = {}
    for of, its in row:
        defaults.setdefault(_shown(its, its.default), []).append(of.label)
    shown = "; ".join(
        f"{value} ({', '.join(labels)})" if len(defaults) > 1 else value for value, labels in defaults.items()
    )
    meaning = each.description
    if len(row) < in_package:
        meaning += f". Of {', '.join(of.label for of, _ in row)}"
    needs = [(settings_of(info.options)[name], value) for name, value in each.needs]
    if needs:
        meaning += (
            f". Only with {' and '.join(f'{other.label}: {_shown(other, value)}' for other, value in needs)}"
        )
    meaning = "; ".join([meaning, *(f"*{choice.label}*: {choice.description}" for choice in each.choices)])
    return f"| {label} | {shown} | {_values(each)} | {meaning} |\n"


def _label(each: Setting, value: object) -> str:
    return next(choice.label for choice in each.choices if choice.value == value)


def _shown(each: Setting, value) -> str:
    if each.several:
        return ", ".join(_label(each, one) for one in value)
    if each.choices:
        return _label(each, value)
    if isinstance(value, bool):
        return "on" if value else "off"
    return f"{degrees(value):.6g}°" if each.unit == "angle" else f"{value:g}"


def _values(each: Setting) -> str:
    if each.choices:
        return "any of these" if each.several else "one of these"
    if isinstance(each.default, bool):
        return "on, off"
    return (
        f"from {_shown(each, each.low)}"
        if isinf(each.high)
        else f"{_shown(each, each.low)} to {_shown(each, each.high)}"
    )


if __name__ == "__main__":
    PAGE.write_text(text(), encoding="utf-8")
