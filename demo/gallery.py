"""A robot of Limber's gallery, added by one click, with its own postures and moving target."""

from math import atan2

import bpy
import imported
import installed
import lamp
import push_rods
import studio
from mathutils import Vector

THIRDS = (1, 73, 145)  # frames from which it keeps each posture
PICTURED = ((30, 46, 62), (102, 118, 134), (174, 190, 206))


def known(name: str) -> str:
    """`name` if a robot of the gallery has a folder of that name, else ""."""
    entries = installed.module("rig.authoring.gallery_folders").listed()
    return name if name in [entry.folder.name for entry in entries] else ""


class Gallery:
    """A robot of the gallery: its armature `rig`, the `chain` that looks, and the frames to picture."""

    def __init__(self, name: str) -> None:
        scene = studio.empty_scene(imported.FPS, imported.FRAMES)
        bpy.ops.limber.add_robot(robot=name)
        self.rig = bpy.context.active_object
        self.chain = self.rig.limber.chains[self.rig.limber.active_chain]
        self.chain.frame_start, self.chain.frame_end = scene.frame_start, scene.frame_end
        names = [posture.action.name for posture in self.chain.postures]
        lamp.key_postures(self.rig, self.chain, dict(zip(names, THIRDS, strict=True)))
        self.pictured = list(zip(names, PICTURED, strict=True))
        ball = self.chain.target
        points, ball_positions = [], []
        for frame in range(scene.frame_start, scene.frame_end + 1, 24):
            scene.frame_set(frame)
            ball_positions.append(ball.matrix_world.translation.copy())
        for posture in self.chain.postures:
            installed.module("rig.chains.postures").apply(self.rig, self.chain, posture.action)
            bpy.context.view_layer.update()
            points += imported.corners(self.rig.children)
        ahead = sum(ball_positions, Vector()) / len(ball_positions) - self.rig.location
        radius = ball.dimensions.x / 2
        imported.ray(self.rig, self.chain, ball, radius, 0.15 * radius)
        imported.set_stage(scene, points + ball_positions, atan2(ahead.y, ahead.x))


def has_closed_loops(name: str) -> bool:
    """Whether closed loops move the head of a robot of the gallery."""
    folder = installed.module("rig.authoring.gallery_folders").folder_of(name)
    return installed.module("robots.gallery.description").read_description(folder).gaze.neck is not None


def scene(name: str, port: str = "") -> push_rods.Scene:
    """Scene of a robot whose head is moved by closed loops; `port`: port of the robot that follows; "": the
    virtual robot.
    """
    robot = Gallery(name)
    if port:
        robot.rig.limber.device.port = port
    title = f"{robot.rig.name}, from the gallery: three postures, one ball"
    return push_rods.Scene(
        name, title, robot.rig, robot.rig, robot.chain, imported.FRAMES, robot.pictured, streams=True
    )
