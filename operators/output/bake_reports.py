"""Warnings of bakes and exports."""

from ...rig.blender.counting import counted

FRAMES_NAMED = 5  # largest number of frames that a report names


def tell_held(operator, held: dict[int, str], what: str) -> None:
    """Warns of frames in which the motion did not follow its goals.

    Args:
        operator: The operator that reports.
        held: Reason by frame.
        what: Subject of the sentence: "the goal could not".
    """
    if held:
        frames = ", ".join(map(str, list(held)[:FRAMES_NAMED])) + (" ..." if len(held) > FRAMES_NAMED else "")
        operator.report({"WARNING"}, f"In {counted(len(held), 'frame')} ({frames}) {what} be followed. {next(iter(held.values()))}")
