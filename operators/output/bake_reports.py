"""Warnings after bakes and exports."""

from ...rig.blender.counting import counted, listing


def tell_held(operator, reasons: dict[int, str], what: str) -> None:
    """Reports a warning about frames in which the motion did not follow its goals, with the reason in the
    first of them; nothing if there are none.

    Args:
        operator: The operator that reports the warning.
        reasons: Reason by frame.
        what: Subject and verb of the sentence, such as "the goal could not".
    """
    if reasons:
        frames = listing([*map(str, reasons)])
        operator.report(
            {"WARNING"},
            f"In {counted(len(reasons), 'frame')} ({frames}) {what} be followed."
            f" {next(iter(reasons.values()))}",
        )
