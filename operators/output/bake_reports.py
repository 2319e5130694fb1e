"""What a bake or an export has to tell beside what it has made."""

from collections.abc import Sequence

from ...rig.blender.counting import counted
from ...rig.output.chain_bake import muted_remarks

FRAMES_NAMED = 5  # in a report


def tell_held(operator, held: dict[int, str], what: str) -> None:
    """Warns of frames in which the motion stood still.

    Args:
        operator: Who reports.
        held: By frame, why it was so there.
        what: What could not be followed, with its verb: "the goal could not".
    """
    if held:
        frames = ", ".join(map(str, list(held)[:FRAMES_NAMED])) + (" ..." if len(held) > FRAMES_NAMED else "")
        operator.report({"WARNING"}, f"In {counted(len(held), 'frame')} ({frames}) {what} be followed. {next(iter(held.values()))}")


def tell_muted(operator, drivers: list[str], constraints: Sequence[str] = ()) -> None:
    """Warns of drivers and constraints that the bake has muted."""
    for remark in muted_remarks(drivers, constraints):
        operator.report({"WARNING"}, remark)
