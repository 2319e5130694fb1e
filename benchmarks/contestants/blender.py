"""Blender's own IK: an armature with a bone for each joint, solved when Blender evaluates the scene."""

import math

import bpy
import numpy as np
from limber.solvers.kinematics.rotations import Quaternion
from mathutils import Matrix, Vector
from mathutils import Quaternion as BlenderQuaternion

from ..paper import Body
from . import Task

# weight of the position relative to the orientation: the task has no position, but Blender's IK always needs
# one
POSITION_WEIGHT = 1e-3
ITERATIONS = 500  # Blender's default number of iterations


class Contestant:
    """Sets the target's rotation, then updates the scene once."""

    def __init__(self, name: str, body: Body) -> None:
        bpy.ops.wm.read_factory_settings(use_empty=True)
        self.body = body
        scene = bpy.context.scene
        self.target = bpy.data.objects.new("target", None)
        self.target.rotation_mode = "QUATERNION"
        armature = bpy.data.armatures.new("chain")
        self.rig = bpy.data.objects.new("chain", armature)
        for made in (self.target, self.rig):
            scene.collection.objects.link(made)
        bpy.context.view_layer.objects.active = self.rig
        bpy.ops.object.mode_set(mode="EDIT")
        parent = None
        for k in range(len(body.axes)):
            bone = armature.edit_bones.new(f"bone{k}")
            bone.head, bone.tail = Vector((0.0, k, 0.0)), Vector((0.0, k + 1.0, 0.0))
            bone.align_roll(Vector((0.0, 0.0, 1.0)))
            bone.parent, bone.use_connect, parent = parent, parent is not None, bone
        bpy.ops.object.mode_set(mode="OBJECT")
        self.bones = [self.rig.pose.bones[f"bone{k}"] for k in range(len(body.axes))]
        for bone, axis in zip(self.bones, body.axes, strict=True):
            for letter in "xyz":
                free = letter == axis.lower()
                setattr(bone, f"lock_ik_{letter}", not free)
                setattr(bone, f"use_ik_limit_{letter}", free)
                setattr(bone, f"ik_min_{letter}", -body.reach)
                setattr(bone, f"ik_max_{letter}", body.reach)
        constraint = self.bones[-1].constraints.new("IK")
        constraint.target = self.target
        constraint.use_rotation, constraint.orient_weight = True, 1.0
        constraint.weight, constraint.iterations = POSITION_WEIGHT, ITERATIONS
        bpy.context.view_layer.update()

    def prepare(self, task: Task) -> None:
        self.place_target(task.goal.aim.wxyz)
        bpy.context.view_layer.update()
        self.target.update_tag()

    def place_target(self, wxyz: Quaternion) -> None:
        self.target.matrix_world = (
            Matrix.Translation((0.0, 1.0, 0.0)) @ BlenderQuaternion(wxyz).to_matrix().to_4x4()
        )

    def solve(self) -> int:
        bpy.context.view_layer.update()
        return 1

    def angles(self) -> np.ndarray:
        evaluated = self.rig.evaluated_get(bpy.context.evaluated_depsgraph_get())
        angles, before = [], Matrix.Identity(3)
        for bone, axis in zip(self.bones, self.body.axes, strict=True):
            turned = evaluated.pose.bones[bone.name].matrix.to_3x3().normalized()
            local = (before.inverted() @ turned).to_quaternion()
            angle = 2.0 * math.atan2(getattr(local, axis.lower()), local.w)
            angles.append(math.remainder(angle, math.tau))
            before = turned
        return np.array(angles)
