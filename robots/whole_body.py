"""A robot's tree as a body that follows targets with any of its links. Knows no Blender."""

from collections.abc import Sequence
from dataclasses import replace

from ..solvers.skeleton import End
from ..solvers.whole_body.body import Body, Coupling
from .skeleton import build
from .tree import Tree


def body(tree: Tree, floating: bool = True, further: Sequence[Coupling] = ()) -> Body:
    """The body of all joints that move, in the tree's order, and all links. Its base is the tree's root link.

    Joints without limits have none here; those that mimic another are coupled with it, beside the couplings `further`.

    Raises:
        SkeletonError: no joint moves.
    """
    moved: list[bool] = []  # of each link: whether a joint moves it
    for branch in tree.branches:
        moves = branch.joint is not None and branch.joint.moves
        moved.append(moves or (branch.parent >= 0 and moved[branch.parent]))
    built = build(tree, [branch.link for branch, moves in zip(tree.branches, moved, strict=True) if moves])
    at_rest = zip(tree.branches, tree.frames({}), moved, strict=True)
    ends = [replace(end, name=name) for end, name in zip(built.skeleton.ends, built.ends, strict=True)]
    still = [End(-1, frame.rotation, frame.offset, branch.link) for branch, frame, moves in at_rest if not moves]
    lower = [-float("inf") if joint.lower is None else joint.lower for joint in tree.joints]
    upper = [float("inf") if joint.upper is None else joint.upper for joint in tree.joints]
    couplings = [
        Coupling(
            f"{built.names[joint]} follows {built.names[leader]}",
            {built.names[joint]: 1.0, built.names[leader]: -multiplier},
            offset,
            offset,
        )
        for joint, leader, multiplier, offset in built.relations
    ]
    return Body(built.skeleton.joints, [*still, *ends], floating, lower, upper, [*couplings, *further])
