"""Description of a robot of the gallery, read from the robot.yaml of its folder.

Angles are degrees in the file and radians here; lengths are metres. Joints and links have the names of the
robot's model.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf, radians
from pathlib import Path
from typing import Literal

from ...files.content import SMALL
from ...files.content import text as read_text
from ...files.presence import is_file
from ...files.reasons import reason
from ...solvers.kinematics.rotations import Vector
from ..errors import MalformedError
from ..model import ModelJoint, Robot
from ..tree import build_tree
from .fields import Fields

FILE = "robot.yaml"
# DoF of a neck: displacements [m], then rotations [rad] about z, y, x
DOFS = ("x", "y", "z", "yaw", "pitch", "roll")
SLIDES = ("x", "y", "z")
# highest id on a servo bus (Feetech's), as in hardware/device.py, which this layer cannot use
LAST_SERVO = 253
FASTEST = 4_000_000  # [bit/s] highest baud rate of a serial line
KNOWN = (
    "name", "maker", "licence", "source", "model", "root", "closures", "device", "servos", "pose", "gaze", "postures", "limbs", "notes",
)  # fmt: skip

Values = Mapping[str, float]  # joint -> value [rad], or DoF of a neck -> value [m or rad]


@dataclass(frozen=True)
class Servo:
    """The motor of a joint.

    Attributes:
        id: Id of the servo on the bus.
        model: Name of the servo's model.
        direction: +1 if the position grows with the joint's value, -1 if it decreases.
        gear: Revolutions of the servo per revolution of the joint.
        zero: Raw position at which the joint is at 0; None: the middle of the model's range.
        span: Lowest and highest raw position; None: the joint's limits.
    """

    id: int
    model: str
    direction: Literal[1, -1] = 1
    gear: float = 1.0
    zero: float | None = None
    span: tuple[float, float] | None = None


@dataclass(frozen=True)
class ChainBranch:
    """Links from `root` to its descendant `end`, whose joints one chain solves together."""

    root: str
    end: str


@dataclass(frozen=True)
class Neck:
    """Degrees of freedom of a head that closed loops move, in the root link's axes.

    Attributes:
        at: The head link's position [m] with all DoFs at 0, at which its axes are parallel to the root's.
        eye: Point that looks, in the head link's frame [m]; the head rotates about a point behind it.
        spans: Range [m, rad] of each DoF that the head has, by its name in `DOFS`; others stay at 0.
        keep: Joints whose motors stay at their own values, such as antennas.
    """

    at: Vector
    eye: Vector
    spans: Mapping[str, tuple[float, float]]
    keep: tuple[str, ...] = ()


@dataclass(frozen=True)
class Gaze(ChainBranch):
    """Settings of the chain that follows the gaze target.

    Attributes:
        forward: Direction in which the end looks, in its link's frame; with a neck always +X.
        eye: Point on the end's bone that looks: 0 its head, 1 its tail; not used with a neck, which has its
            own.
        target: Centre of the path of the first target, in the root link's frame [m].
        swing: Distance [m] that the target moves to either side.
        neck: Degrees of freedom of the end, if closed loops move it, and `root` is then ""; None if the
            joints from the root to the end do.
    """

    forward: Vector = (1.0, 0.0, 0.0)
    eye: float = 1.0
    target: Vector = (1.0, 0.0, 0.0)
    swing: float = 0.1
    neck: Neck | None = None


@dataclass(frozen=True)
class Description:
    """A robot of the gallery.

    Attributes:
        folder: Folder with the robot's files.
        name, maker, licence, source: Texts for the user.
        model: Path of the supplied model.
        root: Link that becomes the root; "": the model's own.
        closures: Path of a file of closures; None: those that the model marks.
        protocol, baudrate: Protocol and baud rate [bit/s] of the device.
        servos: Motors by joint.
        pose: Initial joint values [rad].
        gaze: The chain that looks.
        postures: Values by name of the posture: of the gaze's joints, or of the neck's DoFs.
        limbs: Chains without a target, by name: their joints follow the authored pose.
        notes: Sentences for the user, including what has not been tested on the real robot.
    """

    folder: Path
    name: str
    maker: str
    licence: str
    source: str
    model: Path
    root: str
    closures: Path | None
    protocol: str
    baudrate: int
    servos: Mapping[str, Servo]
    pose: Values
    gaze: Gaze
    postures: Mapping[str, Values]
    limbs: Mapping[str, ChainBranch]
    notes: tuple[str, ...]

    @property
    def file(self) -> str:
        """Path of the description, for messages."""
        return str(self.folder / FILE)


def read_description(folder: Path) -> Description:
    """Description of the robot in a folder.

    Raises:
        UrdfError: the file cannot be read, or a field is missing or wrong; the message names the remedy.
    """
    fields = read_fields(folder / FILE)
    fields.refuse_others(KNOWN)
    gaze, device = fields.map("gaze"), fields.map("device")
    neck = _neck(gaze.map("neck")) if "neck" in gaze else None
    return Description(
        folder,
        fields.text("name"),
        fields.text("maker"),
        fields.text("licence"),
        fields.text("source"),
        _file(fields, "model"),
        fields.text("root", ""),
        _file(fields, "closures") if "closures" in fields else None,
        device.text("protocol"),
        device.whole("baudrate", 1200, FASTEST, 1_000_000),
        {joint: _servo(each) for joint, each in fields.map("servos").maps().items()},
        _values(fields.map("pose")),
        Gaze(
            gaze.text("root") if neck is None else "",
            gaze.text("end"),
            gaze.vector("forward") if neck is None else Gaze.forward,
            gaze.number("eye", 1.0),
            gaze.vector("target"),
            gaze.number("swing", Gaze.swing),
            neck,
        ),
        {
            name: _values(each) if neck is None else _neck_values(each)
            for name, each in fields.map("postures").maps().items()
        },
        {
            name: ChainBranch(each.text("root"), each.text("end"))
            for name, each in fields.map("limbs").maps().items()
        },
        fields.texts("notes"),
    )


def read_fields(file: Path) -> Fields:
    """Fields of a description, a YAML file. Raises UrdfError if it cannot be read."""
    # imported here, since ruamel.yaml takes 0.3 s, which must not delay enabling the extension
    from ..yaml_text import parse_yaml

    try:
        text = read_text(file, SMALL)
    except (OSError, UnicodeDecodeError) as error:
        what = f"it cannot be read ({reason(error)}): choose a folder with a {file.name}"
        raise MalformedError(str(file), 0, "", what) from error
    return Fields(str(file), parse_yaml(text, str(file)))


def _file(fields: Fields, key: str) -> Path:
    """Path of the file that a field names, relative to the description. Raises MalformedError if there is
    none.
    """
    path = Path(fields.file).parent / fields.text(key)
    if not is_file(path):
        raise MalformedError(fields.file, 0, key, f"there is no file {path}: write its path from this folder")
    return path


def _servo(fields: Fields) -> Servo:
    fields.refuse_others(("id", "model", "direction", "gear", "zero", "range"))
    direction = fields.whole("direction", -1, 1, 1)
    if not direction:
        raise MalformedError(fields.file, 0, f"{fields.path}direction", "it is 0: write 1 or -1")
    return Servo(
        fields.whole("id", 0, LAST_SERVO),
        fields.text("model"),
        1 if direction > 0 else -1,
        fields.number("gear", 1.0),
        fields.number("zero") if "zero" in fields else None,
        fields.span("range") if "range" in fields else None,
    )


def _values(fields: Fields) -> dict[str, float]:
    """Values of joints [rad]: degrees in the file."""
    return {joint: radians(value) for joint, value in fields.all_numbers().items()}


def _neck(fields: Fields) -> Neck:
    fields.refuse_others((*DOFS, "at", "eye", "keep"))
    spans = {key: fields.span(key) for key in DOFS if key in fields}
    return Neck(
        fields.vector("at"),
        fields.vector("eye"),
        {
            key: (low, high) if key in SLIDES else (radians(low), radians(high))
            for key, (low, high) in spans.items()
        },
        fields.texts("keep"),
    )


def _neck_values(fields: Fields) -> dict[str, float]:
    """Values of a neck's DoFs [m, rad]; angles are degrees in the file. Raises UnknownNameError for other
    names.
    """
    fields.refuse_others(DOFS)
    return {key: value if key in SLIDES else radians(value) for key, value in fields.all_numbers().items()}


def check(description: Description, robot: Robot) -> None:
    """Raises UnknownNameError if the description names a link or a movable joint that the model does not
    have, and MalformedError if a value is out of range or a chain's end is not below its root.
    """
    _check_branches(description, robot)
    movable = {joint.name: joint for joint in robot.joints if joint.is_movable}
    neck = description.gaze.neck
    joints = [(f"servos.{joint}", joint) for joint in description.servos]
    joints += [("gaze.neck.keep", joint) for joint in (neck.keep if neck is not None else ())]
    for key, joint in joints:
        if joint not in movable:
            raise Fields(description.file, {}).unknown(key, joint, "joint", movable)
    for joint, value in description.pose.items():
        _check_range(description, f"pose.{joint}", joint, value, movable)
    # a neck's postures are given in its DoFs, not in joints of the model; a DoF that it lacks can only be 0
    for name, pose in description.postures.items():
        for key, value in pose.items():
            if neck is None:
                _check_range(description, f"postures.{name}.{key}", key, value, movable)
            else:
                _check_span(description, f"postures.{name}.{key}", neck.spans.get(key, (0.0, 0.0)), value)


def _check_branches(description: Description, robot: Robot) -> None:
    """Raises UnknownNameError for a link that does not exist, and MalformedError for a branch whose end is
    not below its root.
    """
    branches = {
        "gaze": description.gaze,
        **{f"limbs.{name}": limb for name, limb in description.limbs.items()},
    }
    links = [("root", description.root)]
    for key, branch in branches.items():
        links += [(f"{key}.root", branch.root), (f"{key}.end", branch.end)]
    for key, name in links:
        if name and name not in robot.link:
            raise Fields(description.file, {}).unknown(key, name, "link", robot.link)
    tree = build_tree(robot, description.root)
    for key, branch in branches.items():
        if branch.root and branch.root not in tree.above(branch.end):
            what = f"link '{branch.end}' is not below '{branch.root}': exchange them, or name another root"
            raise MalformedError(description.file, 0, f"{key}.root", what)


def _check_range(
    description: Description, key: str, name: str, value: float, joints: Mapping[str, ModelJoint]
) -> None:
    """Raises UnknownNameError if `name` is none of the joints, and MalformedError for a value beyond the
    joint's limits; both name the field `key`.
    """
    if name not in joints:
        raise Fields(description.file, {}).unknown(key, name, "joint", joints)
    joint = joints[name]
    _check_span(
        description,
        key,
        (-inf if joint.lower is None else joint.lower, inf if joint.upper is None else joint.upper),
        value,
    )


def _check_span(description: Description, key: str, span: tuple[float, float], value: float) -> None:
    """Raises MalformedError, which names the field `key`, for a value outside a span."""
    low, high = span
    if not low <= value <= high:
        what = f"{value:.4g} is outside the limits {low:.4g} to {high:.4g} (radians or metres): change it"
        raise MalformedError(description.file, 0, key, what)
