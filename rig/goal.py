"""What a chain's end must do, in the chain's base frame, and the tool frame in which it looks."""

from math import isfinite

from mathutils import Matrix, Vector

from ..solvers import rotations
from ..solvers.goals import Aim, Direction, EndGoal, Frame, Orientation, Point, Position
from .errors import RigError
from .hanging import carriers, is_moved_by, joint_bones

WORLD_UP = Vector((0.0, 0.0, 1.0))
KINDS: dict[str, type] = {"POINT": Point, "DIRECTION": Direction, "ORIENTATION": Orientation, "POSITION": Position, "FRAME": Frame}
LOOKS = {"POINT", "DIRECTION"}  # goals with an axis that looks, and perhaps is upright
TURNS = {"ORIENTATION", "FRAME"}  # goals that ask for a whole orientation
REACHES = {"POSITION", "FRAME"}  # goals that ask for a place
DOES = {
    "POINT": "looks at",
    "DIRECTION": "looks the way of",
    "ORIENTATION": "turns as",
    "POSITION": "reaches for",
    "FRAME": "reaches for and turns as",
}


def signed_axis(name: str) -> tuple[float, float, float]:
    """Unit vector of "+X" ... "-Z"."""
    sign = -1.0 if name[0] == "-" else 1.0
    return tuple(sign if axis == name[1] else 0.0 for axis in "XYZ")


def kind(chain) -> type:
    """The solvers' kind of what the end must do.

    Raises:
        RigError: this version does not know it.
    """
    if chain.goal not in KINDS:
        raise RigError(f"Chain '{chain.name}' has a goal that this version does not know: choose its Goal anew")
    return KINDS[chain.goal]


def tool_frame(chain, end_length: float) -> tuple[tuple, tuple]:
    """Rotation (w, x, y, z) and offset [m] of the tool in the end bone's frame: it looks along its own +Y and its up is its own +Z.

    Raises:
        RigError: the end looks along the axis that is up, or a setting is not one that can be chosen.
    """
    if not chain.look or not chain.up:
        raise RigError(f"Chain '{chain.name}' has an axis that this version does not know: choose Looks Along and Up anew")
    if not isfinite(chain.eye):
        raise RigError(f"The Eye of chain '{chain.name}' is not a number: set it between 0, the bone's head, and 1, its tail")
    look, up = signed_axis(chain.look), signed_axis(chain.up)
    if chain.look[1] == chain.up[1]:
        raise RigError(f"Chain '{chain.name}' looks along {chain.look} and has its up there too: choose another axis for one of them")
    return rotations.from_axes(rotations.cross(look, up), look, up), (0.0, chain.eye * end_length, 0.0)


def end_goal(chain, target_in_world: Matrix, base_in_world: Matrix) -> EndGoal:
    """What the end must do, in the base's frame; upright ends also get the world's up there.

    Raises:
        RigError: the rig or the target is scaled to nothing, or a place is not a number.
    """
    aim = _aim(chain, target_in_world, _inverse(chain, base_in_world))
    return EndGoal(aim, 0, chain.weight, chain.symmetric)


def _inverse(chain, base_in_world: Matrix) -> Matrix:
    if not isfinite(sum(map(sum, base_in_world))):
        raise RigError(f"The place of the rig of chain '{chain.name}' is not a number: clear its transform, drivers or constraints")
    try:
        return base_in_world.inverted()
    except ValueError as error:
        raise RigError(f"The rig of chain '{chain.name}' is scaled to nothing: give it a scale other than 0") from error


def _aim(chain, target_in_world: Matrix, world_in_base: Matrix) -> Aim:
    wanted = kind(chain)
    up = tuple((world_in_base.to_3x3() @ WORLD_UP).normalized()) if chain.goal in LOOKS and chain.roll != "FREE" else None
    if wanted is Direction:
        return Direction(_direction(chain, target_in_world, world_in_base), up)
    if wanted is Orientation:
        return Orientation(_orientation(chain, target_in_world, world_in_base))
    place = _place(chain, target_in_world, world_in_base)
    if wanted is Point:
        return Point(place, up)
    return Position(place) if wanted is Position else Frame(place, _orientation(chain, target_in_world, world_in_base))


def _place(chain, target_in_world: Matrix, world_in_base: Matrix) -> tuple:
    if not all(map(isfinite, target_in_world.translation)):
        raise RigError(f"The place of target '{chain.target.name}' is not a number: clear its location, its drivers or its constraints")
    place = tuple(world_in_base @ target_in_world.translation)
    if not all(map(isfinite, place)):
        raise RigError(f"Target '{chain.target.name}' is too far away to be looked at: bring it nearer")
    return place


def _direction(chain, target_in_world: Matrix, world_in_base: Matrix) -> tuple:
    if not chain.target_axis:
        raise RigError(f"Chain '{chain.name}' has an axis that this version does not know: choose Target's Axis anew")
    axis = _turn(chain, target_in_world) @ Vector(signed_axis(chain.target_axis))
    return tuple((world_in_base.to_3x3() @ axis).normalized())


def _orientation(chain, target_in_world: Matrix, world_in_base: Matrix) -> tuple:
    """The tool's orientation with which the end bone's axes lie along the target's: what Copy Rotation would do."""
    turn = world_in_base.to_3x3().normalized().to_quaternion() @ _turn(chain, target_in_world).to_quaternion()
    tool, _ = tool_frame(chain, 0.0)
    return rotations.normalized(rotations.multiply(tuple(turn), tool))


def _turn(chain, target_in_world: Matrix) -> Matrix:
    turn = target_in_world.to_3x3()
    if not isfinite(sum(map(sum, turn))):
        raise RigError(f"The rotation of target '{chain.target.name}' is not a number: clear its transform, drivers or constraints")
    if min(column.length for column in turn.col) == 0.0:
        raise RigError(f"Target '{chain.target.name}' is scaled to nothing and has no axes: give it a scale other than 0")
    return turn.normalized()


def check_target(chain, rig, depsgraph) -> None:
    """Raises RigError where there is no target, it is not in the scene, or the chain itself moves it."""
    target = chain.target
    if target is None:
        raise RigError(no_target(chain))
    # Blender keeps a deleted object that a property still points to; what is seen need not be looked for.
    if not target.visible_get(view_layer=depsgraph.view_layer) and depsgraph.scene.objects.get(target.name) is None:
        raise RigError(f"Target '{target.name}' is not in scene '{depsgraph.scene.name}': link it there, or choose another target")
    way = moved_by_chain(chain, rig)
    if way:
        raise RigError(f"Chain '{chain.name}' moves its own target '{target.name}' ({way}): choose another target")


def no_target(chain) -> str:
    return f"Chain '{chain.name}' has no target: choose the object that it {DOES.get(chain.goal, 'looks at')}"


def moved_by_chain(chain, rig, bone_names: set[str] | None = None) -> str:
    """The way in which the chain, which turns these bones of the rig (its joints' own), itself moves its target, in words, or ""."""
    if chain.target == rig:
        return "it is the chain's own armature"
    for carrier in carriers(chain.target):
        if is_moved_by(carrier, rig, bone_names or joint_bones(chain)):
            return carrier.how
    return ""
