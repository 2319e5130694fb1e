"""What a user sets of each solver, as that solver's own options."""

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
    """The joints whose weight counts for their bone: the first of each."""
    return list({joint.bone: joint for joint in reversed(chain.joints)}.values())[::-1]


def _turn(chain) -> tuple[int, int]:
    """The number of the turn in which a chain plans, and how many turns there are: so eyes, head and torso do not all work in one frame.

    Each of its armature's chains that Expressive solves has a turn, live or not, so that one that goes live changes nothing for the others;
    and the chain itself, since a comparison asks Expressive for any. A body that follows a motion has one more, in which no chain plans.
    There are at most `MOST_TURNS`: more chains share them, and the body has none then.
    """
    own = chain.id_data.limber
    planning = [other for other in own.chains if other.solver == "expressive" or other == chain]
    turns = min(len(planning) + own.retarget.live, MOST_TURNS)
    return planning.index(chain) % turns, turns


def _expressive(chain, places: list[tuple[str, str]], rig_in_world: Matrix | None) -> ExpressiveOptions:
    chosen, (turn, turns) = chain.options, _turn(chain)
    weights = {joint.bone: joint.shape_weight for joint in weighed(chain)}
    return ExpressiveOptions(
        link_weights=tuple(weights[bone] for bone, _ in places) if set(weights.values()) != {1.0} else (),
        roll=chosen.link_roll,
        hold_body=turntable.is_held(chain, places, rig_in_world),
        glide_speed=chosen.transition_speed,
        turn=turn,
        turns=turns,
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


MOST_TURNS = 4  # more chains share them: a plan that comes late is a bad one
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


def settings(chain, info, places: list[tuple[str, str]], rig_in_world: Matrix | None = None) -> tuple:
    """All that `options_of` is made of: as long as it stays the same, so do they."""
    if info.options not in MAKERS:
        return ()
    weights = [1.0] * len(chain.joints)
    chain.joints.foreach_get("shape_weight", weights)
    chosen = chain.options
    values = (getattr(chosen, name) for name in FIELDS[info.options])
    held = info.options is ExpressiveOptions and turntable.is_held(chain, places, rig_in_world)
    return (*(frozenset(value) if isinstance(value, set) else value for value in values), *weights, *_turn(chain), held)


def options_of(chain, info, places: list[tuple[str, str]], rig_in_world: Matrix | None = None) -> object:
    """The chain's settings as the options of a solver; None where it has none that a user may set.

    Args:
        chain: The chain.
        info: The solver's line in the table.
        places: (bone, axis) of the skeleton's joints, in its order.
        rig_in_world: Where its armature object stands; None: as Blender has it now.

    Raises:
        RigError: a setting that this version does not know.
    """
    if info.options not in MAKERS:
        return None
    for name in FIELDS[info.options]:
        if getattr(chain.options, name) == "":
            raise RigError(f"An option of {info.label} in chain '{chain.name}' is not one that this version knows: choose it again")
    return MAKERS[info.options](chain, places, rig_in_world)
