"""The nearest answer, at once: the least change of the posture that meets the aim, with no look at other branches. Knows no Blender."""

from collections.abc import Sequence

from ..diagnosis import MET
from ..exact_aim import Finished, finish_or_look
from ..goals import GazeGoal
from ..skeleton import Skeleton
from .model import SHORTEST_REACH

TURN_OF_ALL = 0.03  # cost of turning everything as a whole, against 1: toward the target that changes no shape


class Nearest:
    """Least changes on one skeleton, weighed by what they do to the shape."""

    def __init__(self, skeleton: Skeleton, hold_body: bool = False) -> None:
        self.skeleton = skeleton
        n = len(skeleton)
        carried = [1] * n
        for k in reversed(range(n)):
            parent = skeleton.joints[k].parent
            if parent >= 0:
                carried[parent] += carried[k]
        # What a turn changes of the shape grows with the links that it carries; a slide of the whole reach counts as a radian.
        shares = [(count / n) ** 2 if count < n or hold_body else TURN_OF_ALL for count in carried]
        reach = max(skeleton.reach, SHORTEST_REACH)
        self.costs = [share if joint.kind == "revolute" else share / reach**2 for joint, share in zip(skeleton.joints, shares, strict=True)]

    def solve(self, goal: GazeGoal, starts: Sequence[Sequence[float]]) -> Finished:
        """From the first of the starts (n,) from which the aim is met; when none meets it, the nearest miss."""
        ways = []
        for start in starts:
            ways.append(finish_or_look(self.skeleton, goal, start, self.costs))
            if ways[-1].missed <= MET:
                return ways[-1]
        return min(ways, key=lambda way: way.missed)
