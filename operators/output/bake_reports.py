"""Warnings after bakes and exports."""

from ...rig.blender.counting import counted, listing


def tell_held(operator, held: dict[int, str], what: str) -> None:
    """Reports a warning about frames in which the motion did not follow its goals.

    Args:
        operator: The operator that reports the warning.
        held: Reason by frame.
        what: Subject of the sentence: "the goal could not".
    """
    if held:
        frames = listing([*map(str, held)])
        operator.report({"WARNING"}, f"In {counted(len(held), 'frame')} ({frames}) {what} be followed. {next(iter(held.values()))}")
