"""Scenes with closed loops: a head on push rods, or a robot of the gallery. The gaze determines the head's
pose, and the mechanism the motors' values.
"""

import json
from collections.abc import Callable
from dataclasses import dataclass
from math import cos, degrees, pi, sin
from pathlib import Path
from time import perf_counter

import bpy
import installed
import numpy as np
import performance
import shapes
import studio
from folder import prepare
from mathutils import Vector

FPS, FRAMES = 24, 120  # frames per second, and number of frames
PICTURED = (20, 42, 64, 86)  # frames that are pictured
NECK = 0.2  # [m] height of the universal joint about which the head rotates
SWING = 0.8  # [rad] amplitude of the ball to either side
EYES = 0.07  # [m] height of the eyes above the neck
BONE = 0.2  # [m] length of the bone that rotates the head
CLOSED = 1e-6  # [m or rad] residual up to which a joint holds
KEYED = 1e-5  # [rad] tolerance of keys, which are single precision, as are the bones that drive the mechanism
COLOURS = {
    "Shoulders": (0.05, 0.06, 0.08),
    "Turntable": (0.10, 0.13, 0.17),
    "Head": (0.80, 0.78, 0.72),
    "Horn": (0.85, 0.33, 0.10),
    "Rod": (0.55, 0.58, 0.62),
}


@dataclass
class Scene:
    """A scene to play.

    Attributes:
        name: Name of its files.
        title: Title of the contact sheet.
        owner: Object that owns the mechanism.
        rig, chain: The armature that rotates the head, and its chain.
        frames: Number of frames.
        rows: Rows of the contact sheet: (label, frames).
        streams: Whether a robot follows it in real time.
    """

    name: str
    title: str
    owner: bpy.types.Object
    rig: bpy.types.Object
    chain: object
    frames: int
    rows: list[tuple[str, tuple[int, ...]]]
    streams: bool = False


def build() -> Scene:
    """Builds the scene of the push rods."""
    scene = studio.empty_scene(FPS, FRAMES)
    scene.cursor.location = (0.0, 0.0, 0.0)
    bpy.ops.limber.add_mechanism(kind="neck")
    owner = bpy.context.active_object
    settings = owner.limber.mechanism
    aim = settings.goals[0].target
    settings.goals.clear()
    bpy.data.objects.remove(aim)
    for obj in owner.users_collection[0].all_objects:
        if obj.type == "MESH":
            word = next(word for word in COLOURS if word in obj.name)
            obj.data.materials.append(shapes.material(word, COLOURS[word], roughness=0.4))
    rig = _armature()
    _carry_head(rig, bpy.data.objects["Head"])
    ball = studio.target_ball(0.022, {frame: _ball(frame) for frame in range(1, FRAMES + 1, 3)})
    chain = _chain(rig, ball)
    settings.frame_start, settings.frame_end = 1, FRAMES
    studio.backdrop(0.9, 0.9)
    studio.dim_world((0.45, 0.55, 0.7), 0.5)
    studio.area_light("Key", (-0.5, -1.1, 1.1), (0, 0, 0.2), 18, 0.6, (1.0, 0.95, 0.88))
    studio.area_light("Rim", (0.9, 0.6, 1.0), (0, 0, 0.2), 8, 0.4, (0.7, 0.85, 1.0))
    studio.camera((0.5, -0.95, 0.42), (0.0, -0.12, 0.17), 62)
    studio.use_cycles(480, 400)
    title = "A head on push rods looks at a ball"
    return Scene("push_rods", title, owner, rig, chain, FRAMES, [("push rods", PICTURED)])


def _ball(frame: int) -> Vector:
    way = 2 * pi * (frame - 1) / FRAMES
    side = SWING * sin(way)
    return Vector((0.3 * sin(side), -0.3 * cos(side), NECK + EYES + 0.09 * sin(2 * way)))


def _armature():
    """Armature with one bone at the neck, which pans, nods and tilts."""
    data = bpy.data.armatures.new("Gaze")
    rig = bpy.data.objects.new("Gaze", data)
    bpy.context.scene.collection.objects.link(rig)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    bone = data.edit_bones.new("head")
    bone.head, bone.tail, bone.roll = (0, 0, NECK), (0, 0, NECK + BONE), 0.0
    bpy.ops.object.mode_set(mode="POSE")
    posed = rig.pose.bones["head"]
    posed.rotation_mode = "ZXY"  # pan before nod before tilt
    posed.lock_location = (True, True, True)
    return rig


def _carry_head(rig, head) -> None:
    """Attaches the head to the bone, whose pose drives the mechanism, and a skull and eyes to the head."""
    bpy.context.view_layer.update()
    held = head.matrix_world.copy()
    head.parent, head.parent_type, head.parent_bone = rig, "BONE", "head"
    bpy.context.view_layer.update()
    head.matrix_world = held
    head.limber.part.role = "DRIVEN"
    for name, radius, centres, colour in (
        ("Skull", 0.05, ((0.0, 0.0),), COLOURS["Head"]),
        ("Eye", 0.013, ((-0.02, -0.042), (0.02, -0.042)), (0.01, 0.01, 0.012)),
    ):
        for x, y in centres:
            ball = shapes.mesh_object(name, shapes.ball(radius), shapes.material(name, colour, roughness=0.3))
            ball.parent, ball.location = head, (x, y, EYES)


def _chain(rig, ball):
    bone = rig.pose.bones["head"]
    (bone if hasattr(bone, "select") else bone.bone).select = True
    rig.data.bones.active = bone.bone
    bpy.ops.limber.new_chain()
    chain = rig.limber.chains[0]
    chain.target, chain.forward_axis, chain.up, chain.roll = ball, "+Z", "+Y", "UPRIGHT"
    chain.eye = EYES / BONE
    reach = {"Y": 1.6, "X": 0.55, "Z": 0.4}  # [rad] ranges that the push rods allow, by axis
    for joint in chain.joints:
        joint.lower, joint.upper, joint.servo = -reach[joint.axis], reach[joint.axis], -1
    return chain


def play(shown: Scene, say) -> dict:
    """Plays every frame live; returns, by key, the motors' values before ("wanted") and after the filter, the
    errors of joints, goals and aim, and times, each frame by frame; if a robot follows, also its figures.
    """
    live = installed.module("rig.live.live")
    owner, scene = shown.owner, bpy.context.scene
    scene.frame_set(1)
    for rig in dict.fromkeys((shown.rig, owner)):
        bpy.context.view_layer.objects.active = rig
        bpy.ops.limber.live_all()
    follows = performance.Follower(owner, say) if shown.streams else None
    rows: dict[str, list] = {
        key: [] for key in ("wanted", "filtered", "residual", "missed", "seconds", "frame_seconds", "aim")
    }
    for frame in range(1, shown.frames + 1):
        if follows is not None:
            follows.wait((frame - 1) / FPS)
        began = perf_counter()
        scene.frame_set(frame)
        frame_seconds = perf_counter() - began
        session = live.session(owner, owner.limber.mechanism)
        if session.problem:
            say(f"frame {frame}: {session.problem}")
        outputs = session.outputs
        for key, value in (
            ("wanted", outputs.desired),
            ("filtered", outputs.values),
            ("residual", outputs.report.residual),
            ("missed", outputs.report.goal_error),
            ("seconds", session.seconds),
            ("frame_seconds", frame_seconds),
            ("aim", live.session(shown.rig, shown.chain).outputs.filtered_aim_error),
        ):
            rows[key].append(value)
    arrays = {key: np.array(values) for key, values in rows.items()}
    return arrays | (follows.end(arrays["filtered"][-1]) if follows is not None else {})


def show(folder: Path, say, quietly, draw, make: Callable[[], Scene] = build) -> list[str]:
    """Plays, bakes and pictures a scene, and writes its files; returns its shortcomings as sentences."""
    with quietly():
        shown = make()
    prepare(folder, f"{shown.name}.blend")
    owner, settings = shown.owner, shown.owner.limber.mechanism
    outcome = installed.module("rig.authoring.mechanism.check").check(bpy.context, owner)
    say(outcome.sentence)
    for finding in outcome.findings:
        say(f"Check: {finding.sentence}")
    with quietly():
        take = play(shown, say)
        for mover in (settings, shown.chain) if owner != shown.rig else (settings,):
            mover.frame_start, mover.frame_end = 1, shown.frames
            with bpy.context.temp_override(limber_mover=mover):
                bpy.ops.limber.bake()
    baked = []
    for frame in range(1, shown.frames + 1):
        bpy.context.scene.frame_set(frame)
        baked.append([motor.value for motor in settings.motors])
    figures = {
        "blender": bpy.app.version_string,
        "check": outcome.sentence,
        "frames": shown.frames,
        "fps": FPS,
        "motors": [motor.name for motor in settings.motors],
        "residual_worst": float(take["residual"].max()),
        "missed_worst": float(take["missed"].max()),
        "aim_error_deg_median": degrees(float(np.median(take["aim"]))),
        "lag_worst_deg": degrees(float(np.abs(take["wanted"] - take["filtered"]).max())),
        "speed_worst_of_limit": float(
            np.abs(np.diff(take["filtered"], axis=0) * FPS).max(0).max()
            / max(motor.velocity for motor in settings.motors)
        ),
        "tick_ms_median": 1e3 * float(np.median(take["seconds"])),
        "frame_ms_median": 1e3 * float(np.median(take["frame_seconds"])),
        "baked_differs_deg": degrees(float(np.abs(np.array(baked) - take["filtered"]).max())),
    } | {key: take[key] for key in ("sent", "lost", "follows_within_deg") if key in take}
    rows = []
    for label, frames in shown.rows:
        cells = []
        for frame in frames:
            picture = folder / "frames" / f"{shown.name}_{frame:04d}.png"
            with quietly():
                studio.render(frame, picture)
            values = ", ".join(f"{degrees(value):.0f}" for value in take["filtered"][frame - 1])
            cells.append(
                {"picture": f"frames/{picture.name}", "caption": f"frame {frame}: motors at {values} degrees"}
            )
            say(f"picture of frame {frame}")
        rows.append({"label": label, "cells": cells})
    subtitle = (
        f"The gaze turns the head, the loops follow, {len(figures['motors'])} motors get their values; loops"
        f" closed to {figures['residual_worst']:.0e}, {figures['tick_ms_median']:.1f} ms a frame"
    )
    sheet = {"title": shown.title, "subtitle": subtitle, "rows": rows}
    (folder / "contact_sheet.json").write_text(json.dumps(sheet, indent=2) + "\n", encoding="utf-8")
    (folder / "report.json").write_text(json.dumps(figures, indent=2) + "\n", encoding="utf-8")
    limits = [
        [motor.lower for motor in settings.motors],
        [motor.upper for motor in settings.motors],
        [motor.velocity for motor in settings.motors],
    ]
    np.savez_compressed(
        folder / "take.npz",
        motors=np.array(figures["motors"]),
        time=np.arange(shown.frames) / FPS,
        wanted=take["wanted"],
        filtered=take["filtered"],
        limits=np.array(limits),
    )
    with quietly():
        bpy.context.scene.frame_set(1)
        bpy.ops.wm.save_as_mainfile(filepath=str(folder / f"{shown.name}.blend"), compress=True)
    draw(folder)
    say(
        f"{shown.name}: closed to {figures['residual_worst']:.1e}, bake differs by"
        f" {figures['baked_differs_deg']:.1e} degrees, {folder}"
    )
    return shortcomings(figures)


def shortcomings(figures: dict) -> list[str]:
    """Figures that miss their bounds, as sentences."""
    short = []
    if figures["residual_worst"] > CLOSED:
        short.append(
            f"closed loops: a joint was open by {figures['residual_worst']:.2e} (at most {CLOSED:.0e})"
        )
    if figures["baked_differs_deg"] > degrees(KEYED):
        short.append(
            f"closed loops: baked motors differ from live ones by {figures['baked_differs_deg']:.2e} degrees"
        )
    if figures["speed_worst_of_limit"] > 1.0 + KEYED:
        short.append(
            f"closed loops: a motor was {figures['speed_worst_of_limit']:.3f} times as fast as it may be"
        )
    if figures.get("lost"):
        short.append(f"The robot did not acknowledge {figures['lost']} of {figures['sent']} frames")
    if figures.get("follows_within_deg", 0.0) > performance.FOLLOWED:
        short.append(
            f"The robot did not follow: a motor ends {figures['follows_within_deg']:.1f} degrees off"
        )
    return short
