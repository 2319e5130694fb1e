"""Warnings of bakes and exports."""

from collections.abc import Sequence

from ...rig.blender.counting import counted
from ...rig.output.chain_bake import muted_remarks

FRAMES_NAMED = 5  # largest number of frames that a report names


def tell_held(operator, held: dict[int, str], what: str) -> None:
    """Warns of frames in which the motion stood still.

    Args:
        operator: The operator that reports.
        held: Reason by frame.
        what: Subject of the sentence: "the goal could not".
    """
    if held:
        frames = ", ".join(map(str, list(held)[:FRAMES_NAMED])) + (" ..." if len(held) > FRAMES_NAMED else "")
        operator.report({"WARNING"}, f"In {counted(len(held), 'frame')} ({frames}) {what} be followed. {next(iter(held.values()))}")


def tell_muted(operator, drivers: list[str], constraints: Sequence[str] = ()) -> None:
    """Warns of drivers and constraints that the bake has muted."""
    for remark in muted_remarks(drivers, constraints):
        operator.report({"WARNING"}, remark)
