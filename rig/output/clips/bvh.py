"""Checks of BVH files before Blender imports them."""

from itertools import pairwise
from pathlib import Path

import numpy as np

from ....files.content import open_regular
from ....files.reasons import reason
from ...blender.errors import RigError

SUFFIX = ".bvh"
FROM_FILE = "export the clip again from the program that captured it"


def check(path: Path) -> None:
    """Raises RigError, with the frame and the remedy, if a BVH file cannot be read, is truncated, or has
    values that are not finite.
    """
    try:
        with open_regular(path) as file:
            text = file.read().decode("utf-8", "replace")
    except OSError as error:
        raise RigError(
            f"it cannot be read ({reason(error)}): check the path and the access rights"
        ) from error
    if not text.strip():
        raise RigError(f"it is empty: {FROM_FILE}")
    skeleton, keyword, motion = text.partition("MOTION")
    if "HIERARCHY" not in skeleton or not keyword:
        raise RigError(f"it is no BVH file, which has a HIERARCHY and a MOTION: {FROM_FILE}")
    _check_rows(_channel_count(skeleton.split()), motion.split())


def _channel_count(words: list[str]) -> int:
    counts = [after for word, after in pairwise(words) if word == "CHANNELS"]
    if not counts or not all(count.isdecimal() and len(count) < 3 for count in counts):
        raise RigError(f"its joints have no channels: {FROM_FILE}")
    return sum(map(int, counts))


def _check_rows(channels: int, words: list[str]) -> None:
    """Checks the words after MOTION: "Frames:", their count, "Frame", "Time:", seconds, then the values."""
    head, values = words[:5], words[5:]
    if len(head) < 5 or head[0] != "Frames:" or not head[1].isdecimal() or head[3] != "Time:":
        raise RigError(f"after MOTION it has no 'Frames:' and 'Frame Time:': {FROM_FILE}")
    frames = int(head[1])
    if not frames:
        raise RigError(f"it has no frame: {FROM_FILE}")
    try:
        seconds, numbers = float(head[4]), np.array(values, float)
    except ValueError as error:
        raise RigError(f"its motion has a word that is no number ({error}): {FROM_FILE}") from error
    if not 0.0 < seconds < np.inf:
        raise RigError(f"its frame time is {head[4]} s: give it the time between two frames")
    if len(numbers) != frames * channels:
        rows = f"{len(numbers) / channels:.5g} frames of {channels} values"
        raise RigError(f"it announces {frames} frames and has {rows}: {FROM_FILE}")
    # 'nan' and 'inf' pass as numbers above, but no bone can be posed by them
    broken = np.flatnonzero(~np.isfinite(numbers).reshape(frames, channels).all(1))
    if len(broken):
        raise RigError(f"frame {broken[0] + 1} has a value that is not a number: mend or remove that frame")
