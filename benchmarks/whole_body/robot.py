"""A robot's tree as the body of a whole-body solver."""

from collections.abc import Sequence
from dataclasses import replace
from math import inf

from limber.robots.skeleton import robot_skeleton
from limber.robots.tree import LinkTree
from limber.solvers.kinematics import skeleton as solver
from limber.solvers.whole_body.body import Body, Coupling


def body(tree: LinkTree, floating: bool = True, further: Sequence[Coupling] = ()) -> Body:
    """Body of all movable joints, in the tree's order, and of all links. Its base is the tree's root link.

    Joints without limits remain unlimited; mimic joints are coupled with their leaders, in addition to the
    couplings `further`.

    Raises:
        SkeletonError: there is no movable joint.
    """
    moved: list[bool] = []  # whether a joint moves each link
    for branch in tree.branches:
        moves = branch.joint is not None and branch.joint.is_movable
        moved.append(moves or (branch.parent >= 0 and moved[branch.parent]))
    built = robot_skeleton(
        tree, [branch.link for branch, moves in zip(tree.branches, moved, strict=True) if moves]
    )
    at_zero = zip(tree.branches, tree.frames({}), moved, strict=True)
    ends = [replace(end, name=name) for end, name in zip(built.skeleton.ends, built.ends, strict=True)]
    still = [
        solver.End(-1, frame.rotation, frame.offset, branch.link)
        for branch, frame, moves in at_zero
        if not moves
    ]
    lower = [-inf if joint.lower is None else joint.lower for joint in tree.joints]
    upper = [inf if joint.upper is None else joint.upper for joint in tree.joints]
    names = built.names
    couplings = [
        Coupling(
            f"{names[joint]} follows {names[leader]}",
            {names[joint]: 1.0, names[leader]: -multiplier},
            offset,
            offset,
        )
        for joint, leader, multiplier, offset in built.relations
    ]
    return Body(built.skeleton.joints, [*still, *ends], floating, lower, upper, [*couplings, *further])
