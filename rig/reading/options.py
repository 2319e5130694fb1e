"""The user's settings of each solver, as that solver's options object."""

from typing import Any

import numpy as np
from mathutils import Matrix

from ...solvers.expressive.options import Options as ExpressiveOptions
from ...solvers.settings import Setting, settings_of
from ...solvers.table import SOLVERS
from ..blender.errors import RigError
from . import turntable


def weighed(chain) -> list:
    """The joints whose weight applies to their bone: the first joint of each bone."""
    return list({joint.bone: joint for joint in reversed(chain.joints)}.values())[::-1]


def stored_options(chain, solver: str) -> tuple:
    """All stored settings from which `options_of` makes the solver's options, but for the joints' weights; () for an unknown solver."""
    if solver not in SOLVERS:
        return ()
    group = getattr(chain.options, solver)
    return chain.options.body, *[getattr(group, name) for name in settings_of(SOLVERS[solver].options)]


def options_of(chain, info, joint_keys: list[tuple[str, str]], rig_in_world: Matrix | None = None) -> object:
    """Options object of a solver with the chain's settings; None if the solver has none for users.

    Args:
        chain: The chain.
        info: The solver's entry in the table.
        joint_keys: (bone, axis) of the skeleton's joints, in its order.
        rig_in_world: World matrix of the armature object; None: Blender's current one.

    Raises:
        RigError: a stored setting is unknown to this version.
        GazeError: a setting, as an animation has it, is not one that the solver accepts.
    """
    if info.options is None:
        return None
    group = getattr(chain.options, info.name)
    values = {name: _value(each, getattr(group, name)) for name, each in settings_of(info.options).items()}
    if None in values.values():
        raise RigError(f"An option of {info.label} in chain '{chain.name}' is not one that this version knows: choose it again")
    if info.options is ExpressiveOptions:  # what depends on the chain as well: its joints' weights, and its first joint's axis
        weights = {joint.bone: joint.shape_weight for joint in weighed(chain)}
        values["link_weights"] = tuple(weights[bone] for bone, _ in joint_keys) if set(weights.values()) != {1.0} else ()
        values["hold_body"] = turntable.is_held(chain, joint_keys, rig_in_world)
    return info.options(**values)


def _value(each: Setting, stored) -> Any:
    """The value that a property stores; None for a choice that this version does not know."""
    if each.choices:
        chosen = [value for value, key in each.key_of.items() if (key in stored if each.several else key == stored)]
        return tuple(chosen) if each.several else next(iter(chosen), None)
    if isinstance(stored, float):  # in Blender of 32 bits: the default and the bounds are met exactly
        return next((exact for exact in (each.default, each.low, each.high) if float(np.float32(exact)) == stored), stored)
    return stored
