"""Small humanoids with names and positions of links and joints as in NAO and Pepper: shoulders of single
hinges at one position. Pepper's tree begins at the torso, whose child is the hip.
"""

from pathlib import Path

SIDED = (  # joint, parent, child, position [m], axis, lower and upper limit [rad]; {s} is the side's letter
    ("ShoulderPitch", "torso", "{S}Shoulder", (0.0, 0.098, 0.1), (0, 1, 0), -2.0857, 2.0857),
    ("ShoulderRoll", "{S}Shoulder", "{S}Bicep", (0.0, 0.0, 0.0), (0, 0, 1), -0.3142, 1.3265),
    ("ElbowYaw", "{S}Bicep", "{S}Elbow", (0.105, 0.015, 0.0), (1, 0, 0), -2.0857, 2.0857),
    ("ElbowRoll", "{S}Elbow", "{S}ForeArm", (0.0, 0.0, 0.0), (0, 0, 1), -1.5446, -0.0349),
    ("WristYaw", "{S}ForeArm", "{s}_wrist", (0.05595, 0.0, 0.0), (1, 0, 0), -1.8238, 1.8238),
    ("HipYawPitch", "torso", "{S}Pelvis", (0.0, 0.05, -0.085), (0, 0.7071, -0.7071), -1.1453, 0.7408),
    ("HipRoll", "{S}Pelvis", "{S}Hip", (0.0, 0.0, 0.0), (1, 0, 0), -0.3794, 0.7905),
    ("HipPitch", "{S}Hip", "{S}Thigh", (0.0, 0.0, 0.0), (0, 1, 0), -1.5359, 0.4840),
    ("KneePitch", "{S}Thigh", "{S}Tibia", (0.0, 0.0, -0.1), (0, 1, 0), -0.0923, 2.1125),
    ("AnklePitch", "{S}Tibia", "{S}AnklePitch", (0.0, 0.0, -0.1029), (0, 1, 0), -1.1895, 0.9227),
    ("AnkleRoll", "{S}AnklePitch", "{s}_ankle", (0.0, 0.0, 0.0), (1, 0, 0), -0.3979, 0.7690),
)
MIDDLE = (
    ("base_link_fixedjoint", "base_link", "torso", (0.0, 0.0, 0.0), None, 0.0, 0.0),
    ("HeadYaw", "torso", "Neck", (0.0, 0.0, 0.1265), (0, 0, 1), -2.0857, 2.0857),
    ("HeadPitch", "Neck", "Head", (0.0, 0.0, 0.0), (0, 1, 0), -0.6720, 0.5149),
)
PEPPER = (
    ("base_link_fixedjoint", "base_link", "torso", (0.0, 0.0, 0.0), None, 0.0, 0.0),
    ("HeadYaw", "torso", "Neck", (-0.038, 0.0, 0.1699), (0, 0, 1), -2.0857, 2.0857),
    ("HeadPitch", "Neck", "Head", (0.0, 0.0, 0.0), (0, 1, 0), -0.7069, 0.4451),
    ("HipRoll", "torso", "Hip", (0.0, 0.0, -0.139), (1, 0, 0), -0.5149, 0.5149),
    ("HipPitch", "Hip", "Pelvis", (0.0, 0.0, -0.079), (0, 1, 0), -1.0385, 1.0385),
    ("KneePitch", "Pelvis", "Tibia", (0.0, 0.0, -0.268), (0, 1, 0), -0.5149, 0.5149),
)
TURNED = ("Roll", "Yaw")  # joints about X or Z, which are mirrored on the other side


def write(path: Path, pepper: bool = False) -> Path:
    """Writes the robot's URDF file; returns its path."""
    joints = list(PEPPER if pepper else MIDDLE)
    for letter, sign in (("L", 1), ("R", -1)):
        for name, parent, child, (x, y, z), axis, low, high in SIDED[:5] if pepper else SIDED:
            if sign < 0 and name.endswith(TURNED):
                low, high = -high, -low
            turned = (axis[0], sign * axis[1], axis[2]) if name == "HipYawPitch" else axis
            ends = (text.format(S=letter, s=letter.lower()) for text in (parent, child))
            joints.append((letter + name, *ends, (x, sign * y, z), turned, low, high))
    links = ["base_link", *(child for _, _, child, *_ in joints)]
    text = "".join(f'  <link name="{name}"/>\n' for name in links) + "".join(
        _joint(*joint) for joint in joints
    )
    path.write_text(f'<robot name="{path.stem}">\n{text}</robot>\n', encoding="utf-8")
    return path


def _joint(name, parent, child, place, axis, low, high) -> str:
    ends = f'<parent link="{parent}"/><child link="{child}"/><origin xyz="{" ".join(map(str, place))}"/>'
    if axis is None:
        return f'  <joint name="{name}" type="fixed">{ends}</joint>\n'
    about = (
        f'<axis xyz="{" ".join(map(str, axis))}"/><limit lower="{low}" upper="{high}" effort="1"'
        ' velocity="6"/>'
    )
    return f'  <joint name="{name}" type="revolute">{ends}{about}</joint>\n'
