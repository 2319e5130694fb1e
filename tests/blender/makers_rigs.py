"""Figures as rigs of different makers: with two, four, eight or no legs, with any names, with bones along the
limbs or in any direction.
"""

from math import pi
from typing import NamedTuple

import bpy
from mathutils import Matrix, Vector

from tests.blender.rigs import make_active

Places = dict[
    str, tuple[str, tuple[float, float, float], tuple[float, float, float]]
]  # bone -> parent or "", head and tail [m]


class Subject(NamedTuple):
    """A figure that faces -Y, and the expected results for it."""

    places: Places
    looks: str  # the bone that is selected for New Chain
    root: str  # the first bone of that chain
    torso: tuple[str, str] | None  # first and last bone of the chains of Eyes, Head and Torso
    head: tuple[str, str] | None  # None: the figure is not symmetric
    eyes: bool = False  # whether it has bones "eye.L" and "eye.R"
    feet: tuple[str, ...] = ()
    iks: tuple[tuple[str, str], ...] = ()  # bones with an IK constraint, and the controls to which these move


def both(places: Places) -> Places:
    """Bones on the left (+X), whose names end with ".L", and their mirror images."""
    flip = lambda point: (-point[0], *point[1:])  # noqa: E731
    right = lambda name: name.removesuffix(".L") + ".R" if name.endswith(".L") else name  # noqa: E731
    images = {
        right(name): (right(parent), flip(head), flip(tail)) for name, (parent, head, tail) in places.items()
    }
    return places | images


def line(parent: str, *points: tuple[str, float, float, float], tip: tuple[float, float, float]) -> Places:
    """Bones one after the other: name and head of each, and the tail of the last one."""
    ends = [*(point[1:] for point in points[1:]), tip]
    parents = [parent, *(point[0] for point in points)]
    return {
        name: (above, place, end) for (name, *place), end, above in zip(points, ends, parents, strict=False)
    }


def leg(parent: str, name: str, x: float, y: float, top: float) -> Places:
    """A left leg with a knee and a foot that points forward."""
    hip, knee, foot = (f"{part}_{name}.L" for part in ("thigh", "shin", "foot"))
    return line(
        parent,
        (hip, x, y, top),
        (knee, x, y - 0.02, top / 2),
        (foot, x, y, top / 12),
        tip=(x, y - top / 6, 0.01),
    )


def arm(parent: str, x: float, z: float, hand: tuple[float, float, float], y: float = 0.0) -> Places:
    return line(
        parent,
        ("collar.L", x / 6, y, z),
        ("arm.L", x, y, z),
        ("forearm.L", (x + hand[0]) / 2, y, (z + hand[2]) / 2),
        ("hand.L", *hand),
        tip=(hand[0], hand[1] - 0.1, hand[2]),
    )


SPINE = (
    ("trunk", 0, 0, 0.95),
    ("lumbar", 0, 0, 1.05),
    ("thorax", 0, 0, 1.25),
    ("neck", 0, 0, 1.5),
    ("head", 0, 0, 1.6),
)
TOP = (0, 0, 1.8)
EYES = both({"eye.L": ("head", (0.03, -0.09, 1.68), (0.03, -0.12, 1.68))})
ARMS = both(arm("thorax", 0.2, 1.45, (0.6, 0, 1.1)))
LEGS = both(leg("trunk", "hind", 0.1, 0, 0.9))
HUMAN = line("", *SPINE, tip=TOP) | EYES | ARMS | LEGS
FEET = ("foot_hind.L", "foot_hind.R")
TWO_LEGS = {"root": "lumbar", "torso": ("lumbar", "thorax"), "head": ("neck", "head"), "feet": FEET}
GROUND = {"ground": ("", (0, 0, 0), (0, 0.3, 0))}
CONTROLS = both(
    {
        "foot_control.L": ("", (0.1, 0, 0.075), (0.1, 0.15, 0.075)),
        "pole.L": ("", (0.1, -0.6, 0.5), (0.1, -0.7, 0.5)),
    }
)
BACK = (("trunk", 0, 0.4, 0.8), ("lumbar", 0, 0.1, 0.8), ("thorax", 0, -0.2, 0.82))
FOUR_LEGS = both(leg("trunk", "hind", 0.12, 0.4, 0.75) | leg("thorax", "front", 0.12, -0.3, 0.75))
FOUR_FEET = (*FEET, "foot_front.L", "foot_front.R")
TAIL = line("trunk", ("tail.1", 0, 0.5, 0.8), ("tail.2", 0, 0.7, 0.75), tip=(0, 1.0, 0.7))
LONG_NECK = (("neck.1", 0, -0.35, 0.9), ("neck.2", 0, -0.55, 1.1), ("neck.3", 0, -0.7, 1.3))
HORSE_HEAD = {"head": ("neck.3", (0, -0.8, 1.45), (0, -1.1, 1.35))} | both(
    {"ear.L": ("head", (0.05, -0.8, 1.5), (0.06, -0.8, 1.58))}
)
SNAKE = line("", *((f"s{k}", 0, 1.0 - 0.1 * k, 0.03) for k in range(12)), tip=(0, -0.2, 0.03))
SPIDER_LEGS = both(
    {
        name: place
        for k, (x, y) in enumerate(((0.5, -0.5), (0.6, -0.2), (0.6, 0.2), (0.5, 0.5)))
        for name, place in line(
            "body",
            (f"coxa{k}.L", x / 8, y / 8, 0.2),
            (f"leg{k}.L", x / 2, y / 2, 0.4),
            (f"claw{k}.L", x, y, 0.1),
            tip=(1.1 * x, 1.1 * y, 0),
        ).items()
    }
)
WINGS = both(line("thorax", ("wing.L", 0.05, 0.0, 0.95), ("wing2.L", 0.5, 0.1, 1.2), tip=(1.2, 0.3, 1.1)))

FIGURES = {
    "Mixamo": Subject(HUMAN | {"head_end": ("head", TOP, (0, 0, 1.9))}, "head", eyes=True, **TWO_LEGS),
    "Unreal": Subject(
        GROUND | {name: (parent or "ground", *ends) for name, (parent, *ends) in HUMAN.items()},
        "head",
        eyes=True,
        **TWO_LEGS,
    ),
    "without eyes": Subject(
        {name: place for name, place in HUMAN.items() if "eye" not in name}, "head", **TWO_LEGS
    ),
    "eyes on a control": Subject(
        GROUND
        | {name: (parent or "ground", *ends) for name, (parent, *ends) in HUMAN.items()}
        | {"gaze": ("ground", (0, -1.5, 1.68), (0, -1.6, 1.68))}
        | both({"gaze.L": ("gaze", (0.03, -1.5, 1.68), (0.03, -1.55, 1.68))}),
        "head",
        eyes=True,
        **TWO_LEGS,
    ),
    "spine beside the legs": Subject(
        GROUND
        | {
            name: ("ground" if parent == "trunk" and "lumbar" not in name else parent, *ends)
            for name, (parent, *ends) in HUMAN.items()
        },
        "head",
        "trunk",
        ("trunk", "thorax"),
        ("neck", "head"),
        True,
        FEET,
    ),
    "feet on IK": Subject(
        HUMAN | CONTROLS,
        "head",
        eyes=True,
        iks=tuple((f"shin_hind.{side}", f"foot_control.{side}") for side in "LR"),
        **TWO_LEGS,
    ),
    "legs on the ground's root": Subject(
        GROUND
        | {
            name: ("ground" if parent in {"", "trunk"} and "lumbar" not in name else parent, *ends)
            for name, (parent, *ends) in HUMAN.items()
        },
        "head",
        "trunk",
        ("trunk", "thorax"),
        ("neck", "head"),
        True,
        FEET,
    ),
    "arms to the ground": Subject(
        line("", *SPINE, tip=TOP) | EYES | LEGS | both(arm("thorax", 0.3, 1.45, (0.35, -0.3, 0.02))),
        "head",
        "neck",
        None,
        ("neck", "head"),
        True,
        (*FEET, "hand.L", "hand.R"),
    ),
    "without legs": Subject(
        line("", *SPINE, tip=TOP) | EYES | ARMS, "head", "trunk", ("trunk", "thorax"), ("neck", "head"), True
    ),
    "ghost": Subject(
        {"ground": ("", (0, 0, 0), (0, 0.3, 0))} | line("ground", *SPINE, tip=TOP) | ARMS,
        "head",
        "trunk",
        ("trunk", "thorax"),
        ("neck", "head"),
    ),
    "horse": Subject(
        line("", *BACK, *LONG_NECK, tip=(0, -0.8, 1.45)) | HORSE_HEAD | FOUR_LEGS | TAIL,
        "head",
        "neck.1",
        None,
        ("neck.1", "head"),
        feet=FOUR_FEET,
    ),
    "dragon": Subject(
        line("", *BACK, *LONG_NECK, tip=(0, -0.8, 1.45)) | HORSE_HEAD | FOUR_LEGS | TAIL | WINGS,
        "head",
        "neck.1",
        None,
        ("neck.1", "head"),
        feet=FOUR_FEET,
    ),
    "centaur": Subject(
        line(
            "",
            *BACK,
            ("withers", 0, -0.35, 0.9),
            ("breast", 0, -0.35, 1.1),
            ("neck", 0, -0.35, 1.4),
            ("head", 0, -0.35, 1.5),
            tip=(0, -0.35, 1.7),
        )
        | FOUR_LEGS
        | TAIL
        | both(arm("breast", 0.2, 1.35, (0.6, -0.35, 1.0), -0.35)),
        "head",
        "withers",
        ("withers", "breast"),
        ("neck", "head"),
        feet=FOUR_FEET,
    ),
    "bird": Subject(
        line(
            "",
            ("body", 0, 0.03, 0.3),
            ("thorax", 0, -0.05, 0.35),
            ("neck", 0, -0.1, 0.42),
            ("head", 0, -0.12, 0.5),
            tip=(0, -0.22, 0.5),
        )
        | both(
            leg("body", "hind", 0.05, 0.02, 0.28)
            | line("thorax", ("wing.L", 0.04, 0, 0.38), ("wing2.L", 0.2, 0, 0.38), tip=(0.5, 0.05, 0.36))
        )
        | line("body", ("tail", 0, 0.1, 0.3), tip=(0, 0.3, 0.32)),
        "head",
        "thorax",
        ("thorax", "thorax"),
        ("neck", "head"),
        feet=FEET,
    ),
    "spider": Subject(
        line("", ("body", 0, 0.1, 0.2), ("head", 0, -0.15, 0.2), tip=(0, -0.3, 0.2))
        | line("body", ("rear", 0, 0.15, 0.22), tip=(0, 0.6, 0.3))
        | SPIDER_LEGS,
        "head",
        "head",
        None,
        ("head", "head"),
        feet=tuple(f"claw{k}.{side}" for k in range(4) for side in "LR"),
    ),
    "two legs, a tail and small arms": Subject(
        line(
            "",
            ("pelvis1", 0, 0, 2),
            ("belly", 0, -0.5, 2.1),
            ("thorax", 0, -1, 2.3),
            ("nape", 0, -1.4, 2.6),
            ("head", 0, -1.7, 3),
            tip=(0, -2.4, 2.9),
        )
        | line("pelvis1", ("tail.1", 0, 0.3, 2), ("tail.2", 0, 1, 2), tip=(0, 3.4, 1.8))
        | both(
            leg("pelvis1", "hind", 0.3, 0, 1.9)
            | line("thorax", ("arm.L", 0.2, -1, 2.1), ("hand.L", 0.2, -1.1, 1.8), tip=(0.2, -1.3, 1.8))
        ),
        "head",
        "belly",
        None,
        ("belly", "head"),
        feet=FEET,
    ),
    "cape, hair and long ears": Subject(
        HUMAN
        | line(
            "thorax",
            ("cape.1", 0, 0.1, 1.4),
            ("cape.2", 0, 0.15, 0.9),
            ("cape.3", 0, 0.2, 0.1),
            tip=(0, 0.2, 0.05),
        )
        | both(
            line("head", ("ear.L", 0.05, 0, 1.8), ("ear2.L", 0.1, 0, 2.0), tip=(0.12, 0, 2.3))
            | line("head", ("hair.L", 0.08, 0.05, 1.75), ("hair2.L", 0.1, 0.1, 1.4), tip=(0.1, 0.1, 0.9))
        )
        | {"jaw": ("head", (0, -0.02, 1.6), (0, -0.1, 1.58))},
        "head",
        eyes=True,
        **TWO_LEGS,
    ),
    "mermaid": Subject(
        line("", *SPINE, tip=TOP)
        | ARMS
        | line(
            "trunk",
            ("tail.1", 0, 0, 0.9),
            ("tail.2", 0, -0.1, 0.6),
            ("tail.3", 0, 0, 0.35),
            ("tail.4", 0, 0.15, 0.15),
            tip=(0, 0.3, 0.05),
        )
        | both(line("tail.4", ("fin.L", 0.02, 0.3, 0.05), tip=(0.25, 0.5, 0.03))),
        "head",
        feet=("fin.L", "fin.R"),
        **{part: bones for part, bones in TWO_LEGS.items() if part != "feet"},
    ),
    "large head": Subject(
        line(
            "",
            ("trunk", 0, 0, 0.22),
            ("lumbar", 0, 0, 0.28),
            ("thorax", 0, 0, 0.34),
            ("neck", 0, 0, 0.42),
            ("head", 0, 0, 0.46),
            tip=(0, 0, 1.1),
        )
        | both(
            {"eye.L": ("head", (0.13, -0.25, 0.6), (0.13, -0.32, 0.6))}
            | arm("thorax", 0.08, 0.4, (0.26, 0, 0.25))
            | leg("trunk", "hind", 0.05, 0, 0.21)
        ),
        "head",
        eyes=True,
        **TWO_LEGS,
    ),
    "tortoise": Subject(
        line(
            "",
            ("shell", 0, 0, 0.25),
            ("neck.1", 0, -0.32, 0.22),
            ("neck.2", 0, -0.42, 0.26),
            ("head", 0, -0.55, 0.36),
            tip=(0, -0.72, 0.35),
        )
        | line("shell", ("tail", 0, 0.32, 0.2), tip=(0, 0.45, 0.15))
        | both(
            line("shell", ("fore.L", 0.2, -0.25, 0.2), ("paw.L", 0.35, -0.3, 0.12), tip=(0.4, -0.35, 0.0))
            | line("shell", ("rear.L", 0.2, 0.25, 0.2), ("sole.L", 0.35, 0.28, 0.12), tip=(0.4, 0.24, 0.0))
        ),
        "head",
        "neck.1",
        None,
        ("neck.1", "head"),
        feet=("paw.L", "paw.R", "sole.L", "sole.R"),
    ),
    "penguin": Subject(
        line(
            "",
            ("pelvis", 0, 0, 0.35),
            ("belly", 0, 0.02, 0.45),
            ("thorax", 0, 0.02, 0.65),
            ("neck", 0, 0, 0.85),
            ("head", 0, -0.01, 0.93),
            tip=(0, -0.01, 1.08),
        )
        | line("head", ("beak", 0, -0.1, 0.98), tip=(0, -0.2, 0.96))
        | line("pelvis", ("tail", 0, 0.1, 0.25), tip=(0, 0.2, 0.12))
        | both(
            line("thorax", ("wing.L", 0.15, 0.02, 0.75), ("wing2.L", 0.22, 0.03, 0.5), tip=(0.24, 0.03, 0.35))
            | line("pelvis", ("leg.L", 0.08, 0, 0.25), ("foot.L", 0.09, 0.02, 0.05), tip=(0.09, 0.01, 0.01))
        ),
        "head",
        "belly",
        ("belly", "thorax"),
        ("neck", "head"),
        feet=("foot.L", "foot.R"),
    ),
    "snake": Subject(SNAKE, "s11", "s0", None, None),
    "snake from its middle": Subject(
        line("", *((f"s{k}", 0, -0.1 * k, 0.03) for k in range(6)), tip=(0, -0.6, 0.03))
        | line("s0", *((f"t{k}", 0, 0.1 * k, 0.03) for k in range(6)), tip=(0, 0.6, 0.03)),
        "s5",
        "s1",
        None,
        None,
        feet=("t5",),
    ),
}
JAPANESE = (
    "センター",
    "上半身",
    "首",
    "頭",
    "左目",
    "右目",
    "左足",
    "右足",
    "左ひざ",
    "右ひざ",
    "左腕",
    "右腕",
)
NAMES = {
    "own": lambda _, name: name,
    "numbers": lambda k, _: f"Bone.{k:03d}",
    "Japanese": lambda k, _: JAPANESE[k % len(JAPANESE)] + str(k // len(JAPANESE) or ""),
    "misleading": lambda k, _: ("Kopf", "head_geo", "Spine", "leg", "cuello")[k % 5] + f"_{k}",
}
AXES = {
    "along": None,
    "up": Vector((0, 0, 1)),
    "forward": Vector((0, -1, 0)),
    "left": Vector((1, 0, 0)),
}  # direction of all bones' +Y axes
STANDS = {
    "as it is": Matrix(),
    "FBX": Matrix.Rotation(pi / 2, 4, "X") @ Matrix.Scale(0.01, 4),
    "facing aside": Matrix.Rotation(0.7, 4, "Z"),
    "along its own +Y": Matrix.Rotation(pi, 4, "Z"),
}
# variants in which the figure keeps its orientation in the world, whatever the object's matrix is
IN_WORLD = {"FBX", "along its own +Y"}


def made(kind: str, names: str = "own", axes: str = "along", stands: str = "as it is"):
    """A figure as an armature object, active in Object Mode, and the names of its bones.

    Args:
        kind: Key of FIGURES.
        names: Key of NAMES.
        axes: Key of AXES.
        stands: Key of STANDS: the matrix of the object. The figure stands upright, and faces the direction to
            which that matrix rotates -Y about the vertical; -Y in the world for variants in IN_WORLD.
    """
    subject, matrix = FIGURES[kind], STANDS[stands]
    called = {name: NAMES[names](k, name) for k, name in enumerate(subject.places)}
    back = matrix.inverted() if stands in IN_WORLD else Matrix()
    data = bpy.data.armatures.new("Figure")
    rig = bpy.data.objects.new("Figure", data)
    bpy.context.scene.collection.objects.link(rig)
    make_active(rig)
    bpy.ops.object.mode_set(mode="EDIT")
    for name, (_, head, tail) in subject.places.items():
        bone = data.edit_bones.new(called[name])
        along = AXES[axes]
        bone.head = back @ Vector(head)
        bone.tail = back @ (Vector(tail) if along is None else Vector(head) + 0.07 * along)
    for name, (parent, *_) in subject.places.items():
        data.edit_bones[called[name]].parent = data.edit_bones.get(called.get(parent, ""))
    bpy.ops.object.mode_set(mode="OBJECT")
    rig.matrix_world = matrix
    for bone, control in subject.iks:
        constraint = rig.pose.bones[called[bone]].constraints.new("IK")
        constraint.target, constraint.subtarget, constraint.chain_count = rig, called[control], 2
    bpy.context.view_layer.update()
    return rig, called
