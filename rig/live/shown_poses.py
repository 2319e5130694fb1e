"""Shows the poses of a stage's movers by writing them to proxies, which bones and objects copy by
constraints.
"""

import bpy

from ...solvers.kinematics.rotations import IDENTITY
from ..bones.joint_bones import NO_SCALE, ORIGIN
from ..properties.eyes import shown_lids
from ..showing import proxy
from . import runtime
from .mover import Mover
from .runtime import Member, can_show, current, exists, live_movers
from .stage import SceneStage


def show_all(
    scene: bpy.types.Scene, stage: SceneStage, depsgraph: bpy.types.Depsgraph, movers: list[Mover]
) -> None:
    """Shows a stage's poses of `movers`, all live movers of a scene; bones of its armatures with a proxy that
    none of them moves show their authored pose.
    """
    by_owner: dict[int, list[Mover]] = {}
    for mover in movers:
        if mover.is_on_rig:
            by_owner.setdefault(mover.owner.session_uid, []).append(mover)
        else:
            show_mechanism(mover, stage)
    for member in current().registry:
        if scene.session_uid in member.scenes:
            show_member(member, by_owner.get(member.rig.session_uid, []), stage, depsgraph)


def show_mechanism(mover: Mover, stage: SceneStage) -> None:
    """Writes the poses of a mechanism's bodies to its proxy, which the objects and bones of the bodies
    copy.
    """
    with current().writing():
        runtime.show(mover.owner, stage.session(*mover))


def show_member(
    member: Member, movers: list[Mover], stage: SceneStage, depsgraph: bpy.types.Depsgraph | None = None
) -> None:
    """Writes the poses of an armature's live movers to its proxy; bones of movers without a solution yet keep
    their authored pose. Also records how far eyelids are closed, for properties that read it.
    """
    if not can_show(member.rig) or not exists(member.proxy):
        return
    channels: dict[str, tuple] = {}
    for mover in movers:
        session = stage.session(*mover)
        channels.update(session.pose)
        shown_lids[mover.key] = getattr(session.outputs, "lid", 0.0)
    authored = (member.rig.evaluated_get(depsgraph) if depsgraph else member.rig).pose.bones
    rotations, locations, scales = [], [], []
    for name in member.order:
        if name in channels:
            rotation, location, scale = channels[name]
        elif bone := authored.get(name):
            rotation, location, scale = bone.matrix_basis.to_quaternion(), bone.location, bone.scale
        else:  # the bone no longer exists
            rotation, location, scale = IDENTITY, ORIGIN, NO_SCALE
        rotations.extend(rotation)
        locations.extend(location)
        scales.extend(scale)
    with current().writing():
        proxy.write(member.proxy, rotations, locations, scales)


def show(scene: bpy.types.Scene, stage: SceneStage, depsgraph: bpy.types.Depsgraph) -> None:
    """Shows a stage's poses of a scene's live movers, and evaluates the scene again, so that constraints
    which depend on them are up to date too. References to evaluated data become invalid.
    """
    show_all(scene, stage, depsgraph, live_movers(scene))
    evaluate(depsgraph)


def show_live(scene: bpy.types.Scene) -> None:
    """Shows the poses of live motion again, after those of another stage."""
    show_all(scene, current().stage, None, live_movers(scene))


def evaluate(depsgraph: bpy.types.Depsgraph) -> None:
    """Evaluates everything that depends on the poses shown last. References to evaluated data become
    invalid.
    """
    with current().writing():
        depsgraph.update()
