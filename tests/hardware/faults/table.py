"""Writes the tables of docs/faults.md: plays every row, and lists the results.

    python -m tests.hardware.faults.table [--check] [--section line]

It takes some minutes; --section: only this table. With --check nothing is written, and the exit status is 1
if a row's words differ (times may).
"""

import argparse
import re
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

from checkout import load_limber

load_limber()  # also if this file is run as a program

from tests.hardware.faults.playing import Outcome, play  # noqa: E402
from tests.hardware.faults.rows import TABLE, Robot  # noqa: E402
from tests.hardware.faults.stops import WAYS, played  # noqa: E402
from tests.hardware.faults.system import SYSTEM  # noqa: E402
from tests.player import fault_rows  # noqa: E402

PAGE = Path(__file__).resolve().parents[3] / "docs" / "faults.md"
MARKED = re.compile(r"(<!-- (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)
HEAD = (
    "| what happens | robot | it | at rest after | Blender says | after | way back"
    " |\n|---|---|---|---|---|---|---|"
)


def seconds(time: float | None) -> str:
    if time is None:
        return ""
    return f"{1000 * time:.0f} ms" if time < 0.995 else f"{time:.1f} s"


def line(outcome: Outcome) -> str:
    rests = outcome.robot in (Robot.RESTS, Robot.STANDS, Robot.DARK, Robot.LET_GO)
    said = outcome.sentence.replace("/dev/ttyUSB0", "PORT").replace("|", "\\|")
    said = re.sub(r"/tmp/\S+/ttyUno", "PORT", said)
    back = " > ".join(outcome.back) or "by itself"
    columns = (
        outcome.what,
        outcome.where,
        outcome.robot.value,
        seconds(outcome.ending.rest_after) if rests else "",
        said,
        seconds(outcome.told_after),
        back,
    )
    return f"| {' | '.join(columns)} |"


def table(outcomes: Iterable[Outcome]) -> str:
    return "\n".join([HEAD, *map(line, outcomes)])


def stop_table() -> str:
    names = list(WAYS[0].robots)
    rows = [f"| | {' | '.join(names)} |", f"|---{'|---' * len(names)}|"]
    for way in WAYS:
        cells = []
        for name in names:
            end = played(way, name)
            words = "holds or goes limp, as set" if end.limp else "holds, all servos"
            cells.append(f"{words}, after {seconds(end.rest_after)}")
        rows.append(f"| {way.what} | {' | '.join(cells)} |")
    return "\n".join(rows)


def sections() -> dict[str, Callable[[], str]]:
    """Function that writes each table, by its name on the page."""
    makers = {
        name: lambda rows=rows: table(play(row, world) for row in rows for world in row.worlds)
        for name, rows in TABLE.items()
    }
    return {
        **makers,
        "system": lambda: table(row.play() for row in SYSTEM),
        "player": lambda: fault_rows.table(fault_rows.PLAYER),
        "stops": stop_table,
    }


def without_times(text: str) -> str:
    return re.sub(r"\d+(\.\d+)? m?s", "", text)


def main() -> None:
    ask = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ask.add_argument("--check", action="store_true", help="write nothing, compare")
    ask.add_argument("--section", choices=sections(), action="append")
    asked = ask.parse_args()
    made = {name: make() for name, make in sections().items() if not asked.section or name in asked.section}
    before = PAGE.read_text(encoding="utf-8")
    after = MARKED.sub(
        lambda found: f"{found[1]}{made[found[2]]}\n{found[3]}" if found[2] in made else found[0], before
    )
    if asked.check:
        sys.exit(without_times(after) != without_times(before))
    PAGE.write_text(after, encoding="utf-8")


if __name__ == "__main__":
    main()
