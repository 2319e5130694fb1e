"""Support phases of a walk: which feet support the body, as keyframes of the weights of goals."""

from collections.abc import Collection, Iterable, Mapping, Sequence

import bpy

from ...blender import actions

# weights of the centre of mass if no goal has any, from Schumacher et al. 2021, section V.A.4
TOTAL = 10.0, 10.0, 0.0
# share of its weights that a foot keeps while other feet stand: errors that the motors cannot avoid then
# appear at the foot in the air
IN_AIR = 0.01


def supports(settings: bpy.types.PropertyGroup) -> list[int]:
    """Indices of a mechanism's goals for the centre of mass."""
    return [k for k, goal in enumerate(settings.goals) if goal.does == "CENTRE"]


def key_support(owner: bpy.types.Object, carrying: Collection[int], frame: float) -> None:
    """Keys the weights of all goals for the centre of mass, and of goals of bodies that share a target with
    one of them: the feet.

    The total weight of the centre of mass is kept, so that between keys the centre moves in proportion to the
    weights.

    Args:
        owner: The object that owns the mechanism.
        carrying: Indices of the goals for the centre of mass that share its weight; the other goals get
            weight 0, and their feet a small share of their weights.
        frame: Frame of the keys.
    """
    settings = owner.limber.mechanism
    centres = supports(settings)
    carried = {_target(settings.goals[k]): k in carrying for k in centres}
    feet = [k for k, goal in enumerate(settings.goals) if goal.does != "CENTRE" and _target(goal) in carried]
    total = [sum(settings.goals[k].position_weight[axis] for k in centres) for axis in range(3)]
    shared = [weight / len(carrying) for weight in (total if any(total) else TOTAL)]
    _key(settings, centres, "position_weight", shared, carried, 0.0, frame)
    # a foot may be in the air in this frame: its weight while it stands is that of its largest key
    for weights in ("position_weight", "rotation_weight"):
        _key(settings, feet, weights, _largest(owner, feet, weights), carried, IN_AIR, frame)


def _key(
    settings: bpy.types.PropertyGroup,
    indices: Iterable[int],
    weights: str,
    full: Sequence[float],
    carried: Mapping,
    least: float,
    frame: float,
) -> None:
    """Keys the goals' weights: `full` (3,) for goals whose target carries the centre of mass, by `carried`
    (target -> whether it does), else `full` times `least`.
    """
    for goal in (settings.goals[k] for k in indices):
        share = 1.0 if carried[_target(goal)] else least
        setattr(goal, weights, [share * weight for weight in full])
        goal.keyframe_insert(weights, frame=frame, group="Support")


def _target(goal: bpy.types.PropertyGroup) -> tuple[int, str]:
    """Identity of a goal's target: the object's session_uid (0: none) and the bone."""
    return (goal.target.session_uid if goal.target is not None else 0), goal.target_bone


def _largest(owner: bpy.types.Object, indices: Iterable[int], weights: str) -> list[float]:
    """The largest weights (3,) of these goals, now and at their keys."""
    goals = [owner.limber.mechanism.goals[k] for k in indices]
    largest = [max((getattr(goal, weights)[axis] for goal in goals), default=0.0) for axis in range(3)]
    paths = {goal.path_from_id(weights) for goal in goals}
    for action, slot in actions.playing(owner):
        for curve in actions.fcurves(action, slot):
            if curve.data_path in paths:
                keys = [point.co.y for point in curve.keyframe_points]
                largest[curve.array_index] = max([largest[curve.array_index], *keys])
    return largest
