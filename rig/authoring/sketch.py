"""Poses a chain along a drawn shape: selected objects such as the empties of markers, or the points of a
curve.
"""

from collections.abc import Sequence
from math import degrees

import bpy
import numpy as np

from ...solvers.goals import GazeError
from ...solvers.kinematics.skeleton import SkeletonError
from ...solvers.sketch import pose_from_points
from ..blender.errors import RigError
from ..chains import chain as build
from ..chains.joint_tree import joint_tree
from ..chains.skeleton import ChainReader
from ..live.movers import mover_of
from ..scene.placement import Placement

# name of no solver, for `build.motions`: it then takes all limits from the joints' settings, which are a full
# revolution for a joint without limits
ANY = ""


def points_of(objects: Sequence, depsgraph: bpy.types.Depsgraph) -> list:
    """World positions [m] given by objects: the points of a single curve, or the origins of several objects
    in the order of their names.
    """
    if len(objects) == 1 and objects[0].type == "CURVE":
        (curve,) = objects
        splines = [spline.bezier_points or spline.points for spline in curve.data.splines]
        return [
            curve.evaluated_get(depsgraph).matrix_world @ point.co.to_3d()
            for points in splines
            for point in points
        ]
    return [
        shown.evaluated_get(depsgraph).matrix_world.translation
        for shown in sorted(objects, key=lambda shown: shown.name)
    ]


def pose_along(
    rig: bpy.types.Object, chain: bpy.types.PropertyGroup, points: Sequence, depsgraph: bpy.types.Depsgraph
) -> tuple[dict[tuple[str, str], float], float]:
    """Poses a chain's bones so that its links have the directions of points (m, 3) in the world, from its
    base to its end.

    Returns:
        The joints' values [rad or m], and the largest angle [deg] between a link and the shape.

    Raises:
        RigError: the points have no direction, or the chain cannot be read.
    """
    reader = ChainReader(rig, chain)
    poses = reader.read(rig.pose.bones)
    base = np.array(rig.matrix_world) @ Placement(depsgraph, {}).root(
        rig, reader.names[0], reader.base_location(poses)
    )
    to_base = np.linalg.inv(base[:3, :3])
    try:
        skeleton = joint_tree(
            reader, reader.fixed(poses), build.motions(chain, ANY), build.tools(chain, reader)
        )
        sketched = pose_from_points(
            skeleton, np.array(points, dtype=float).reshape(-1, 3) @ to_base.T, reader.angles(poses)
        )
    except (GazeError, SkeletonError) as error:
        raise RigError(f"Chain '{chain.name}': {error}") from error
    values = dict(zip(reader.joint_keys, sketched.angles.tolist(), strict=True))
    mover_of(rig, chain).pose(values)
    return values, degrees(sketched.error)
