"""The user's settings of each solver, as that solver's options object."""

from collections.abc import Callable
from itertools import permutations

from mathutils import Matrix

from ...solvers.ccd import CcdOptions
from ...solvers.erik.parameters import Hyperparameters
from ...solvers.expressive.options import Options as ExpressiveOptions
from ...solvers.jacobian.options import Options, PriorityOptions
from ..blender.errors import RigError
from . import turntable

TASKS = {"position": "Position", "aim": "Aim", "posture": "Posture"}
ORDERS = [
    ("_".join(order).upper(), ", ".join(TASKS[task] for task in order), f"{TASKS[order[0]]} counts most, {TASKS[order[2]].lower()} least")
    for order in permutations(TASKS)
]
SECONDARY_OBJECTIVES = [
    ("POSTURE", "Posture", "Keep joints near the posture"),
    ("LIMITS", "Limit Avoidance", "Keep joints away from their limits"),
    ("MANIPULABILITY", "Manipulability", "Keep joints away from singular poses, in which the end cannot move in every direction"),
]
CCD_ORDERS = [
    ("TIP", "Tip First", "The last joints rotate most: the chain curls near its end"),
    ("BASE", "Base First", "The first joints rotate most: the chain rotates as a whole"),
]


def weighed(chain) -> list:
    """The joints whose weight applies to their bone: the first joint of each bone."""
    return list({joint.bone: joint for joint in reversed(chain.joints)}.values())[::-1]


def _expressive(chain, places: list[tuple[str, str]], rig_in_world: Matrix | None) -> ExpressiveOptions:
    chosen = chain.options
    weights = {joint.bone: joint.shape_weight for joint in weighed(chain)}
    return ExpressiveOptions(
        link_weights=tuple(weights[bone] for bone, _ in places) if set(weights.values()) != {1.0} else (),
        roll=chosen.link_roll,
        hold_body=turntable.is_held(chain, places, rig_in_world),
        glide_speed=chosen.transition_speed,
    )


def _erik(chain, _places, _rig_in_world) -> Hyperparameters:
    return Hyperparameters(use_previous_solution=chain.options.previous_solution)


def _ccd(chain, _places, _rig_in_world) -> CcdOptions:
    return CcdOptions(order=chain.options.ccd_order.lower(), in_frame=chain.options.ccd_sweeps)


def _secondary_objectives(chain) -> tuple[str, ...]:
    return tuple(key.lower() for key, *_ in SECONDARY_OBJECTIVES if key in chain.options.secondary_objectives)


def _family(chain, _places, _rig_in_world) -> Options:
    return Options(beneath=_secondary_objectives(chain))


def _priorities(chain, _places, _rig_in_world) -> PriorityOptions:
    return PriorityOptions(beneath=_secondary_objectives(chain), order=tuple(chain.options.task_order.lower().split("_")))


MAKERS: dict[type, Callable] = {
    ExpressiveOptions: _expressive,
    Hyperparameters: _erik,
    CcdOptions: _ccd,
    Options: _family,
    PriorityOptions: _priorities,
}
FIELDS: dict[type, tuple[str, ...]] = {  # the properties that count, in the panel's order
    ExpressiveOptions: ("transition_speed", "link_roll", "body"),
    Hyperparameters: ("previous_solution",),
    CcdOptions: ("ccd_order", "ccd_sweeps"),
    Options: ("secondary_objectives",),
    PriorityOptions: ("task_order", "secondary_objectives"),
}


def options_of(chain, info, places: list[tuple[str, str]], rig_in_world: Matrix | None = None) -> object:
    """Options object of a solver with the chain's settings; None if the solver has none for users.

    Args:
        chain: The chain.
        info: The solver's entry in the table.
        places: (bone, axis) of the skeleton's joints, in its order.
        rig_in_world: World matrix of the armature object; None: Blender's current one.

    Raises:
        RigError: a stored setting is unknown to this version.
    """
    if info.options not in MAKERS:
        return None
    for name in FIELDS[info.options]:
        if getattr(chain.options, name) == "":
            raise RigError(f"An option of {info.label} in chain '{chain.name}' is not one that this version knows: choose it again")
    return MAKERS[info.options](chain, places, rig_in_world)
