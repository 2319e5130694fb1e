"""Gallery of example mechanisms at tabletop size. All of them are assembled as built."""

from math import cos, radians, sin

from .recipe import Body, Goal, Joint, Motor, Point, Recipe, Z
from .walker import walker

X, Y = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)
TURNS = 3600.0  # [degrees] of a motor that makes full rotations


def _round(radius: float, angle: float, height: float) -> Point:
    return radius * cos(radians(angle)), radius * sin(radians(angle)), height


def _four_bar() -> Recipe:
    a, b, c, d = (0.0, 0.0, 0.1), (0.04, 0.0, 0.1 + 0.05), (0.17, 0.0, 0.24), (0.2, 0.0, 0.1)
    return Recipe(
        "Four-Bar",
        "A crank with a motor, a coupler and a rocker: the smallest loop",
        (
            Body("Ground", (a, (0.0, 0.0, 0.02), (0.2, 0.0, 0.02), d), 0.02, "GROUND"),
            Body("Crank", (a, b)),
            Body("Coupler", (b, c)),
            Body("Rocker", (d, c)),
        ),
        (
            Joint("Crank Shaft", "revolute", "Ground", "Crank", a, Y),
            Joint("Crank Pin", "revolute", "Crank", "Coupler", b, Y),
            Joint("Rocker Pin", "revolute", "Coupler", "Rocker", c, Y),
            Joint("Rocker Shaft", "revolute", "Ground", "Rocker", d, Y),
        ),
        (Motor("Crank Shaft", "Z", -TURNS, TURNS),),
        drive="MOTORS",
    )


def _crank_slider() -> Recipe:
    a, b, c = (0.0, 0.0, 0.1), (0.0, 0.0, 0.16), (0.2, 0.0, 0.1)
    return Recipe(
        "Crank Slider",
        "A crank and a rod that push a slider to and fro",
        (
            Body("Ground", (a, (0.0, 0.0, 0.02), (0.3, 0.0, 0.02)), 0.02, "GROUND"),
            Body("Crank", (a, b)),
            Body("Rod", (b, c)),
            Body("Slider", (c, (0.26, 0.0, 0.1)), 0.03),
        ),
        (
            Joint("Crank Shaft", "revolute", "Ground", "Crank", a, Y),
            Joint("Crank Pin", "revolute", "Crank", "Rod", b, Y),
            Joint("Wrist Pin", "revolute", "Rod", "Slider", c, Y),
            Joint("Guide", "prismatic", "Ground", "Slider", c, X),
        ),
        (Motor("Crank Shaft", "Z", -TURNS, TURNS),),
        drive="MOTORS",
    )


def _pantograph() -> Recipe:
    o, left, right = (0.0, 0.0, 0.05), (-0.1, 0.0, 0.15), (0.1, 0.0, 0.15)
    pen, tip = (0.0, 0.0, 0.25), (-0.05, 0.0, 0.3)
    return Recipe(
        "Pantograph",
        "Two motors at one foot move four bars; the tip of the longest goes where its target is",
        (
            Body("Ground", (o, (0.0, 0.0, 0.01), (0.05, 0.0, 0.01)), 0.03, "GROUND"),
            Body("Left Bar", (o, left)),
            Body("Right Bar", (o, right)),
            Body("Upper Left", (left, pen)),
            Body("Pen", (tip, pen, right)),
        ),
        (
            Joint("Left Shaft", "revolute", "Ground", "Left Bar", o, Y),
            Joint("Right Shaft", "revolute", "Ground", "Right Bar", o, Y),
            Joint("Left Elbow", "revolute", "Left Bar", "Upper Left", left, Y),
            Joint("Right Elbow", "revolute", "Right Bar", "Pen", right, Y),
            Joint("Top", "revolute", "Upper Left", "Pen", pen, Y),
        ),
        (Motor("Left Shaft"), Motor("Right Shaft")),
        (Goal("Pen", "POSITION", (1.0, 0.0, 1.0)),),
    )


def _delta() -> Recipe:
    high, elbow_high, low = 0.3, 0.26, 0.1
    bodies = [Body("Base", tuple(_round(0.1, angle, high) for angle in (0, 120, 240, 0)), 0.02, "GROUND")]
    feet = [_round(0.04, angle, low) for angle in (0, 120, 240)]
    joints, motors = [], []
    for k, angle in enumerate((0, 120, 240)):
        number = k + 1
        hip, knee, foot = _round(0.1, angle, high), _round(0.18, angle, elbow_high), feet[k]
        side = (-0.025 * sin(radians(angle)), 0.025 * cos(radians(angle)), 0.0)
        axis = (-sin(radians(angle)), cos(radians(angle)), 0.0)
        ends = [
            tuple(p + sign * s for p, s in zip(at, side, strict=True))
            for at in (knee, foot)
            for sign in (-1, 1)
        ]
        bodies.append(Body(f"Arm {number}", (hip, knee, ends[0], ends[1]), 0.014))
        joints.append(Joint(f"Hip {number}", "revolute", "Base", f"Arm {number}", hip, axis))
        motors.append(Motor(f"Hip {number}"))
        for word, top, bottom in (("A", ends[0], ends[2]), ("B", ends[1], ends[3])):
            rod = f"Rod {number}{word}"
            bodies.append(Body(rod, (top, bottom), 0.007))
            joints.append(Joint(f"Knee {number}{word}", "spherical", f"Arm {number}", rod, top))
            joints.append(Joint(f"Foot {number}{word}", "spherical", rod, "Platform", bottom))
    bodies.append(
        Body(
            "Platform",
            ((0.0, 0.0, low), *(point for foot in feet for point in (foot, (0.0, 0.0, low)))),
            0.014,
        )
    )
    return Recipe(
        "Delta",
        "Three motors, three pairs of rods: a platform that moves in all directions and never rotates",
        tuple(bodies),
        tuple(joints),
        tuple(motors),
        (Goal("Platform", "POSITION"),),
    )


def _stewart() -> Recipe:
    top, height = [], 0.22
    bodies = [
        Body(
            "Base",
            tuple(_round(0.14, angle, 0.0) for angle in (-10, 10, 110, 130, 230, 250, -10)),
            0.02,
            "GROUND",
        )
    ]
    joints, motors = [], []
    feet, heads = (-10, 10, 110, 130, 230, 250), (-50, 50, 70, 170, 190, 290)
    for k, (low, high) in enumerate(zip(feet, heads, strict=True)):
        number = k + 1
        foot, head = _round(0.14, low, 0.0), _round(0.09, high, height)
        along = tuple(b - a for a, b in zip(foot, head, strict=True))
        length = sum(a * a for a in along) ** 0.5
        axis = tuple(a / length for a in along)
        middle, start = (
            tuple(f + share * a for f, a in zip(foot, along, strict=True)) for share in (0.55, 0.4)
        )
        bodies += [
            Body(f"Cylinder {number}", (foot, middle), 0.018),
            Body(f"Piston {number}", (head, start), 0.009),
        ]
        joints += [
            Joint(f"Foot {number}", "universal", "Base", f"Cylinder {number}", foot, axis),
            Joint(f"Leg {number}", "prismatic", f"Cylinder {number}", f"Piston {number}", middle, axis),
            Joint(f"Head {number}", "spherical", f"Piston {number}", "Platform", head),
        ]
        motors.append(Motor(f"Leg {number}", "LINEAR_Z", -0.06, 0.06))
        top.append(head)
    bodies.append(Body("Platform", ((0.0, 0.0, height), *top, top[0]), 0.016))
    return Recipe(
        "Stewart Platform",
        "Six legs that extend and retract: the platform moves in all directions and rotates about all axes",
        tuple(bodies),
        tuple(joints),
        tuple(motors),
        (Goal("Platform"),),
    )


def _neck() -> Recipe:
    pivot, bodies, joints, motors = (0.0, 0.0, 0.2), [], [], [Motor("Pan", "Z", -120.0, 120.0)]
    bodies += [
        Body("Shoulders", ((0.0, 0.0, 0.0), (0.0, 0.0, 0.02)), 0.1, "GROUND"),
        Body(
            "Turntable",
            ((0.0, 0.0, 0.03), (-0.05, 0.04, 0.04), (0.05, 0.04, 0.04), (0.0, 0.0, 0.03), pivot),
            0.014,
        ),
        Body(
            "Head",
            (pivot, (-0.04, 0.05, 0.2), (0.04, 0.05, 0.2), pivot, (0.0, 0.0, 0.26), (0.0, -0.08, 0.26)),
            0.02,
        ),
    ]
    joints += [
        Joint("Pan", "revolute", "Shoulders", "Turntable", (0.0, 0.0, 0.03)),
        Joint("Neck", "universal", "Turntable", "Head", pivot, Z, X),
    ]
    for word, side in (("Left", -1.0), ("Right", 1.0)):
        shaft, horn, ball = (0.05 * side, 0.02, 0.06), (0.05 * side, 0.055, 0.06), (0.04 * side, 0.05, 0.2)
        bodies += [Body(f"{word} Horn", (shaft, horn), 0.008), Body(f"{word} Rod", (horn, ball), 0.006)]
        joints += [
            Joint(f"{word} Servo", "revolute", "Turntable", f"{word} Horn", shaft, X),
            Joint(f"{word} Horn Ball", "spherical", f"{word} Horn", f"{word} Rod", horn),
            Joint(f"{word} Head Ball", "spherical", f"{word} Rod", "Head", ball),
        ]
        motors.append(Motor(f"{word} Servo", "Z", -75.0, 75.0))
    return Recipe(
        "Push-Rod Neck",
        "A head on a cardan joint that two servos nod and tilt by push rods, on a turntable that pans",
        tuple(bodies),
        tuple(joints),
        tuple(motors),
        (Goal("Head", "ORIENTATION"),),
    )


def _eye() -> Recipe:
    centre = (0.0, 0.0, 0.1)
    bodies = [
        Body("Socket", (centre, (0.0, 0.0, 0.02), (0.0, 0.09, 0.02)), 0.02, "GROUND"),
        Body("Eyeball", (centre, (0.0, -0.024, 0.1)), 0.03),
    ]
    joints, motors = [Joint("Eye Pivot", "universal", "Socket", "Eyeball", centre, (0.0, 1.0, 0.0), Z)], []
    for word, side in (("Left", -1.0), ("Right", 1.0)):
        ball, back = (0.014 * side, 0.012, 0.088), (0.014 * side, 0.07, 0.088)
        bodies += [
            Body(f"{word} Carriage", (back, (0.014 * side, 0.085, 0.088)), 0.008),
            Body(f"{word} Rod", (back, ball), 0.003),
        ]
        joints += [
            Joint(f"{word} Guide", "prismatic", "Socket", f"{word} Carriage", back, Y),
            Joint(f"{word} Back Ball", "spherical", f"{word} Carriage", f"{word} Rod", back),
            Joint(f"{word} Eye Ball", "spherical", f"{word} Rod", "Eyeball", ball),
        ]
        motors.append(Motor(f"{word} Guide", "LINEAR_Z", -0.02, 0.02))
    return Recipe(
        "Differential Eye",
        "Two push rods: pushed alike they raise and lower the gaze, pushed apart they rotate it",
        tuple(bodies),
        tuple(joints),
        tuple(motors),
        (Goal("Eyeball", "ORIENTATION", rotation=(1.0, 0.0, 1.0)),),
    )


def _every_kind() -> Recipe:
    shaft, pin, slider, bracket = (0.0, 0.0, 0.1), (0.0, 0.0, 0.15), (0.2, 0.03, 0.1), (0.26, 0.03, 0.14)
    table, reach = (0.26, 0.03, 0.2), 0.12
    lean = radians(35.0)
    hinge = (table[0] - reach * sin(lean), table[1] + reach * cos(lean), table[2])
    return Recipe(
        "All Kinds of Joints",
        "One DoF, and every common kind of joint: revolute, spherical, universal, prismatic, fixed, cartesian"
        " and cylindrical",
        (
            Body("Ground", (shaft, (0.0, 0.0, 0.02), (0.3, 0.0, 0.02)), 0.02, "GROUND"),
            Body("Crank", (shaft, pin)),
            Body("Rod", (pin, slider)),
            Body("Slider", (slider, (0.26, 0.03, 0.1)), 0.024),
            Body("Bracket", ((0.26, 0.03, 0.1), bracket)),
            Body("Table", (table, bracket), 0.018),
            Body("Link", (hinge, table)),
            Body("Shaft", (hinge, (hinge[0] - 0.12, hinge[1], hinge[2]))),
        ),
        (
            Joint("Crank Shaft", "revolute", "Ground", "Crank", shaft, Y),
            Joint("Crank Ball", "spherical", "Crank", "Rod", pin),
            Joint("Rod Cardan", "universal", "Rod", "Slider", slider, X, Y),
            Joint("Guide", "prismatic", "Ground", "Slider", slider, X),
            Joint("Weld", "fixed", "Slider", "Bracket", (0.26, 0.03, 0.1)),
            Joint("Table Ball", "spherical", "Bracket", "Table", bracket),
            Joint("Table Guide", "cartesian", "Ground", "Table", table),
            Joint("Link Ball", "spherical", "Table", "Link", table),
            Joint("Link Hinge", "revolute", "Link", "Shaft", hinge, Z),
            Joint("Bushing", "cylindrical", "Ground", "Shaft", (hinge[0] - 0.12, hinge[1], hinge[2]), X),
        ),
        (Motor("Crank Shaft", "Z", -TURNS, TURNS),),
        (Goal("Table", "POSITION", (1.0, 0.0, 0.0)),),
    )


def _chain() -> Recipe:
    bodies, joints, motors = [Body("Base", ((0.0, 0.0, 0.0), (0.0, 0.0, 0.02)), 0.06, "GROUND")], [], []
    position, before = (0.0, 0.0, 0.02), "Base"
    axes = ((Z, X), (X, Z), (Y, Z), (X, Y), (Z, X), (Y, Z))
    for k, (about, along) in enumerate(axes):
        elbow, end = (
            (position[0], position[1], position[2] + 0.03),
            (
                position[0],
                position[1],
                position[2] + 0.07,
            ),
        )
        rotor, slider = f"Rotor {k + 1}", f"Slider {k + 1}"
        bodies += [
            Body(rotor, (position, elbow), 0.024 - 0.002 * k),
            Body(slider, (elbow, end), 0.018 - 0.002 * k),
        ]
        joints += [
            Joint(f"Revolute {k + 1}", "revolute", before, rotor, position, about),
            Joint(f"Prismatic {k + 1}", "prismatic", rotor, slider, elbow, along),
        ]
        motors += [Motor(f"Revolute {k + 1}"), Motor(f"Prismatic {k + 1}", "LINEAR_Z", -0.03, 0.03)]
        position, before = end, slider
    bodies.append(Body("Hand", (position, (position[0], position[1], position[2] + 0.03)), 0.02))
    joints.append(Joint("Wrist", "fixed", before, "Hand", position))
    return Recipe(
        "Serial Arm",
        "Six revolute and six prismatic joints in series: twice what one frame determines, so the regulariser"
        " decides the rest",
        tuple(bodies),
        tuple(joints),
        tuple(motors),
        (Goal("Hand"),),
        steady=0.0001,
    )


RECIPES: dict[str, Recipe] = {
    "four_bar": _four_bar(),
    "crank_slider": _crank_slider(),
    "pantograph": _pantograph(),
    "delta": _delta(),
    "stewart": _stewart(),
    "neck": _neck(),
    "eye": _eye(),
    "every_kind": _every_kind(),
    "serial_arm": _chain(),
    "walker": walker(),
}
