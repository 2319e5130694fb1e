"""Draws how animators' rigs look at targets with default settings: `.venv/bin/python
scripts/own_rig_pictures.py [RIG ...]`.

For each rig it selects the bone that looks, presses New Chain, adds a target and presses Start Live, without
other settings. Bones are drawn as octahedra for nine positions of the target; bones of chains are coloured,
in another tone on their left side, so that twist is visible. Sheets are written to build/own_rigs, and those
shown in the guide to docs/pictures. No window is needed.
"""

import math
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np
from PIL import Image, ImageDraw, ImageFont

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
os.environ.setdefault("BLENDER_USER_RESOURCES", tempfile.mkdtemp(prefix="own-rigs-"))

import bpy  # noqa: E402, I001 (it makes the modules below importable)
import addon_utils  # noqa: E402
from mathutils import Euler, Vector  # noqa: E402

from checkout import load_limber  # noqa: E402

limber = load_limber()

from tests.blender import makers_rigs  # noqa: E402
from tests.blender.rigs import make_active  # noqa: E402

# [degrees] directions of the target: to the left, and up
PLACES = [(0, 0), (35, 0), (-60, 0), (70, 0), (0, 35), (0, -40), (-50, 30), (50, 30), (45, -30)]
FRAMES = 30  # number of frames for each position of the target, by which the look has eased there
FPS = 24
AWAY = 0.9  # distance of the target, in heights of the figure
CELL, LARGER = 260, 3  # [pixels] size of one cell; factor by which it is drawn larger and then reduced
COLOURS = 160  # number of colours of a picture
# [rad] the viewing direction: from the figure's left front, and from above
FROM, ABOVE = math.radians(38), math.radians(14)
# half the width of a bone, as a share of its length; smallest half width of a chain's bone, as a share of the
# figure's size
THICK, THINNEST = (0.11, 0.014)
PAPER, SHADOW, GAZE = (250, 250, 248), (226, 226, 222), (210, 50, 60)
# colours of a bone's +X and -X side: of bones outside the chain, and of its bones
OTHERS, CHAIN = (((150, 154, 160), (122, 126, 132)), ((240, 160, 60), (70, 130, 190)))
# bones that the neck and head controls of a generated Rigify rig move
NECK = {"DEF-spine.004", "DEF-spine.005", "DEF-spine.006"}


class Rig(NamedTuple):
    """A rig and the steps with which a user sets it up.

    Attributes:
        make: Function that builds the rig and returns its armature object.
        bone: Function from the armature object to the name of the bone that looks.
        is_whole: Whether Eyes, Head and Torso is pressed instead of New Chain.
    """

    title: str
    make: Callable[[], object]
    bone: Callable[[object], str]
    is_whole: bool = False


def metarig(kind: str) -> Callable[[], object]:
    def make():
        getattr(bpy.ops.object, f"armature_{kind}_metarig_add")()
        return bpy.context.object

    return make


def generated():
    original = metarig("human")()
    bpy.ops.pose.rigify_generate()
    bpy.data.objects.remove(original)
    return bpy.context.object


def walking():
    """The human metarig with a walk on the spot, two steps a second, keyed for all positions of the
    target.
    """
    rig = metarig("human")()
    for frame in range(1, FRAMES * len(PLACES) + 2, 3):
        phase = 2 * math.pi * (frame - 1) / FPS
        for side, sign in (("L", 1), ("R", -1)):
            swing = sign * math.sin(phase)
            for name, angle in (
                ("thigh", 0.45 * swing),
                ("shin", 0.35 * (1 + sign * math.cos(phase))),
                ("upper_arm", -0.4 * swing),
                ("forearm", 0.2),
            ):
                bone = rig.pose.bones[f"{name}.{side}"]
                bone.rotation_quaternion = Euler((angle, 0, 0)).to_quaternion()
                bone.keyframe_insert("rotation_quaternion", frame=frame)
        for name, euler in (
            ("spine", (0, 0.1 * math.sin(phase), 0)),
            ("spine.003", (0.05, -0.14 * math.sin(phase), 0)),
        ):
            rig.pose.bones[name].rotation_quaternion = Euler(euler).to_quaternion()
            rig.pose.bones[name].keyframe_insert("rotation_quaternion", frame=frame)
    return rig


def tentacle():
    segments = makers_rigs.line("", *((f"seg{k:02}", 0, 0, 0.1 * k) for k in range(20)), tip=(0, 0, 2))
    data = bpy.data.armatures.new("Tentacle")
    rig = bpy.data.objects.new("Tentacle", data)
    bpy.context.collection.objects.link(rig)
    make_active(rig)
    bpy.ops.object.mode_set(mode="EDIT")
    for name, (parent, head, tail) in segments.items():
        bone = data.edit_bones.new(name)
        bone.head, bone.tail, bone.parent = head, tail, data.edit_bones.get(parent)
    bpy.ops.object.mode_set(mode="OBJECT")
    return rig


def figure(kind: str, names: str = "own") -> tuple[Callable[[], object], Callable[[object], str]]:
    """Function that builds a figure of tests/blender/makers_rigs.py, and function that returns the bone that
    looks.
    """
    called: dict[str, str] = {}

    def make():
        rig, by_name = makers_rigs.made(kind, names)
        called.update(by_name)
        return rig

    return make, lambda _: called[makers_rigs.FIGURES[kind].looks]


def front(rig) -> str:
    """Name of the last bone of the spine toward -Y, for Rigify's animals."""
    ends = [
        bone
        for bone in rig.data.bones
        if bone.name.startswith("spine") and not any(c.name.startswith("spine") for c in bone.children)
    ]
    return min(ends, key=lambda bone: bone.tail_local.y).name


RIGS = {
    "human": Rig("Human metarig", metarig("human"), lambda _: "spine.006"),
    "human_whole": Rig(
        "Human metarig, Eyes, Head and Torso", metarig("human"), lambda _: "spine.006", is_whole=True
    ),
    "basic_human": Rig("Basic human", metarig("basic_human"), lambda _: "spine.006"),
    "wolf": Rig("Wolf", metarig("wolf"), front),
    "cat": Rig("Cat", metarig("cat"), front),
    "horse": Rig("Horse", metarig("horse"), lambda _: "head"),
    "quadruped": Rig("Basic quadruped", metarig("basic_quadruped"), front),
    "bird": Rig("Bird", metarig("bird"), lambda _: "head"),
    "shark": Rig("Shark", metarig("shark"), front),
    "rigify": Rig("Generated Rigify rig", generated, lambda _: "head"),
    "rigify_whole": Rig(
        "Generated Rigify rig, Eyes, Head and Torso", generated, lambda _: "head", is_whole=True
    ),
    "tentacle": Rig("Tentacle of 20 bones", tentacle, lambda _: "seg19"),
    "snake": Rig("Snake", *figure("snake")),
    "small_bird": Rig("Another bird", *figure("bird")),
    "japanese": Rig("Names in Japanese", *figure("Mixamo", "Japanese")),
    "dragon": Rig("Dragon", *figure("dragon", "numbers")),
    "walk": Rig("Human metarig that walks", walking, lambda _: "spine.006"),
}
SHOWN = ("human", "horse", "tentacle", "walk")  # rigs that the guide shows


class BoneShape(NamedTuple):
    """A bone to draw: head and tail (3,) [m], its X and Z axes (3,), and whether a chain moves it."""

    head: np.ndarray
    tail: np.ndarray
    x: np.ndarray
    z: np.ndarray
    in_chain: bool


def click(rig, entry: Rig, target) -> None:
    """Sets a rig up as in README, *Your own rig*."""
    if entry.is_whole:
        make_active(rig)
        target.select_set(True)
        bpy.ops.limber.eyes_head_torso()
        bpy.ops.limber.live_all()
        return
    name = entry.bone(rig)
    make_active(rig)
    bpy.ops.object.mode_set(mode="POSE")
    for bone in rig.pose.bones:
        (bone if hasattr(bone, "select") else bone.bone).select = bone.name == name
    rig.data.bones.active = rig.data.bones[name]
    bpy.ops.limber.new_chain()
    rig.limber.chains[0].target = target
    bpy.ops.limber.live()


def shapes(rig) -> list[BoneShape]:
    """The bones to draw in their current pose: those named DEF-..., which deform; without any, all."""
    shown = rig.evaluated_get(bpy.context.evaluated_depsgraph_get())
    matrix = shown.matrix_world
    chained = {joint.bone for chain in rig.limber.chains for joint in chain.joints}
    deforming = [bone for bone in shown.pose.bones if bone.name.startswith("DEF-")] or list(shown.pose.bones)
    rows = []
    for bone in deforming:
        axes = (matrix @ bone.matrix).to_3x3().normalized()
        ends = (
            np.array(point) for point in (matrix @ bone.head, matrix @ bone.tail, axes.col[0], axes.col[2])
        )
        rows.append(BoneShape(*ends, bone.name in chained | NECK))
    return rows


class View:
    """Orthographic view of a figure that fits a cell."""

    def __init__(self, points: np.ndarray) -> None:
        """`points` (n, 3) [m]: points that must be visible."""
        self.right = np.array([math.cos(FROM), math.sin(FROM), 0.0])
        # unit vector toward the viewer
        self.back = np.array(
            [math.sin(FROM) * math.cos(ABOVE), -math.cos(FROM) * math.cos(ABOVE), math.sin(ABOVE)]
        )
        self.up = np.cross(self.back, self.right)
        flat = np.stack([points @ self.right, points @ self.up], axis=1)
        low, high = flat.min(0), flat.max(0)
        self.middle, self.size = 0.5 * (low + high), float((high - low).max())
        self.scale = 0.86 * CELL * LARGER / self.size
        self.floor = float(points[:, 2].min())

    def flat(self, point: np.ndarray) -> tuple[float, float]:
        """(x, y) [pixels] of a point (3,) [m] in the picture, from its upper left corner."""
        x, y = (np.array([point @ self.right, point @ self.up]) - self.middle) * self.scale
        return CELL * LARGER / 2 + x, CELL * LARGER / 2 - y

    def depth(self, point: np.ndarray) -> float:
        """Distance [m] of a point (3,) [m] toward the viewer, from the world's origin."""
        return float(point @ self.back)


def draw_place(
    view: View, bones: list[BoneShape], eye: np.ndarray, target: np.ndarray, label: str
) -> Image.Image:
    """Picture of one cell of a sheet: bones with their shadow, a line from `eye` to `target` [m, world], and
    `label`.
    """
    cell = Image.new("RGB", (CELL * LARGER,) * 2, PAPER)
    pen = ImageDraw.Draw(cell)
    light = np.array([0.3, -0.5, 0.8]) / math.sqrt(0.98)
    faces = []
    for bone in bones:
        length = float(np.linalg.norm(bone.tail - bone.head))
        wide, middle = (
            max(THICK * length, THINNEST * view.size * bone.in_chain),
            bone.head + 0.15 * (bone.tail - bone.head),
        )
        ring = [middle + wide * v for v in (bone.x, bone.z, -bone.x, -bone.z)]
        tones = CHAIN if bone.in_chain else OTHERS
        pen.polygon(
            [view.flat(np.array([*p[:2], view.floor])) for p in (bone.head, ring[0], bone.tail, ring[2])],
            SHADOW,
        )
        for k in range(4):
            for tip in (bone.head, bone.tail):
                corners = (tip, ring[k], ring[(k + 1) % 4])
                normal = np.cross(corners[1] - tip, corners[2] - tip)
                centre = sum(corners) / 3
                normal *= np.sign(normal @ (centre - (bone.head + bone.tail) / 2)) / max(
                    float(np.linalg.norm(normal)), 1e-12
                )
                shade = 0.72 + 0.28 * max(0.0, float(normal @ light))
                colour = tuple(int(shade * c) for c in tones[k in (1, 2)])
                faces.append((view.depth(centre), [view.flat(c) for c in corners], colour))
    pen.line([view.flat(eye), view.flat(target)], GAZE, LARGER)
    x, y = view.flat(target)
    pen.ellipse((x - 5 * LARGER, y - 5 * LARGER, x + 5 * LARGER, y + 5 * LARGER), GAZE)
    for _, corners, colour in sorted(faces, key=lambda face: face[0]):
        pen.polygon(corners, colour, outline=tuple(int(0.8 * c) for c in colour))
    pen.text((6 * LARGER, 4 * LARGER), label, (60, 60, 60), ImageFont.load_default(12 * LARGER))
    return cell.resize((CELL, CELL), Image.Resampling.LANCZOS)


def label_of(direction: tuple[int, int]) -> str:
    aside, up = direction
    words = [f"{abs(aside)} {'left' if aside > 0 else 'right'}"] if aside else []
    words += [f"{abs(up)} {'up' if up > 0 else 'down'}"] if up else []
    return ", ".join(words) or "ahead"


def sheet(entry: Rig) -> Image.Image:
    """Sheet of a rig with the nine positions of the target."""
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    if limber.__package__ not in bpy.context.preferences.addons:
        bpy.context.preferences.addons.new().module = limber.__package__
    addon_utils.enable("rigify", default_set=True)
    scene = bpy.context.scene
    scene.render.fps = FPS
    rig = entry.make()
    bpy.context.view_layer.update()
    heights = [(rig.matrix_world @ bone.tail_local).z for bone in rig.data.bones]
    distance = AWAY * max(max(heights) - min(heights), 0.3)
    looks = rig.data.bones[entry.bone(rig)]
    eye = rig.matrix_world @ (looks.tail_local if entry.make is tentacle else looks.head_local)
    target = bpy.data.objects.new("Target", None)
    scene.collection.objects.link(target)
    target.location = eye + Vector((0, -distance, 0))
    bpy.context.view_layer.update()
    click(rig, entry, target)
    view = View(np.array([v for bone in shapes(rig) for v in (bone.head, bone.tail)]))
    paper = Image.new("RGB", (3 * CELL, 3 * CELL + 28), PAPER)
    ImageDraw.Draw(paper).text((8, 6), entry.title, (30, 30, 30), ImageFont.load_default(16))
    scene.frame_set(1)
    for number, (aside, up) in enumerate(PLACES):
        yaw, lift = math.radians(aside), math.radians(up)
        direction = Vector((math.sin(yaw) * math.cos(lift), -math.cos(yaw) * math.cos(lift), math.sin(lift)))
        target.location = eye + distance * direction
        bpy.context.view_layer.update()
        for frame in range(FRAMES):
            scene.frame_set(2 + number * FRAMES + frame)
        shown = rig.evaluated_get(bpy.context.evaluated_depsgraph_get())
        bone = shown.pose.bones[looks.name]
        from_ = np.array(shown.matrix_world @ (bone.tail if entry.make is tentacle else bone.head))
        cell = draw_place(view, shapes(rig), from_, np.array(target.location), label_of((aside, up)))
        paper.paste(cell, (number % 3 * CELL, 28 + number // 3 * CELL))
    return paper


def main(names: list[str]) -> None:
    bpy.ops.wm.read_factory_settings(use_empty=True)
    limber.register()
    folder = ROOT / "build" / "own_rigs"
    folder.mkdir(parents=True, exist_ok=True)
    for name in names or RIGS:
        picture = sheet(RIGS[name]).quantize(COLOURS)
        picture.save(folder / f"{name}.png", optimize=True)
        if name in SHOWN:
            picture.save(ROOT / "docs" / "pictures" / f"own_rig_{name}.png", optimize=True)
        print(f"pictures: {name}", flush=True)
    limber.unregister()


if __name__ == "__main__":
    main(sys.argv[1:])
