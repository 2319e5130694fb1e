"""Limber: expressive inverse kinematics for real robots, in Blender.

No bpy at module level: tests, the player and the robot's worker process load this package without Blender.
"""


def register() -> None:
    from .registration import register_all

    register_all()


def unregister() -> None:
    from .registration import unregister_all

    unregister_all()
