"""MJCF files as checked robot models: bodies, joints, frames on them.

A body becomes a link. A body with several joints gets an additional link for each but the last; a ball joint
becomes three hinges NAME_x, NAME_y, NAME_z through one point, in this order from the parent. Named cameras,
and named sites through which no tendon runs, become links without mass. The root is the outermost body, or
"world" if there are several, or if it has a joint other than a free one.
"""

from collections.abc import Collection
from dataclasses import replace
from pathlib import Path

from ...solvers.kinematics.rotations import X, Y, Z
from ..attributes import AttributeReader
from ..errors import JointTypeError, MalformedError, UrdfError
from ..model import Inertial, Kind, ModelJoint, ModelLink, Robot, Visual
from ..structure import check
from ..transform import IDENTITY_TRANSFORM, Transform, rotation, translation
from ..unread import tell
from ..xml_tree import Element
from .document import Document
from .equality import EqualityReader
from .joints import JointAxis, JointReader
from .keyframes import Coordinates, postures
from .motors import with_motors
from .names import LinkNames
from .shapes import ShapeReader

KINDS: dict[str, Kind] = {"hinge": "revolute", "slide": "prismatic"}
BALL = (("x", X), ("y", Y), ("z", Z))
WORLD = "world"
ON_BODIES = {"body", "joint", "freejoint", "geom", "inertial", "site", "camera", "light"}
SECTIONS = {"compiler", "default", "asset", "worldbody", "equality", "actuator", "tendon", "keyframe"}
# sections that do not affect poses
SKIPPED = {"option", "size", "visual", "statistic", "contact", "sensor", "custom"}
# elements from which MuJoCo's compiler makes bodies
CONTAINERS = {"replicate", "attach", "composite", "flexcomp", "flex"}
EXPAND = (
    "MuJoCo's compiler makes bodies of it, which are left out: save the compiled model in MuJoCo"
    " (mj_saveLastXML), and import that"
)


BodyElement = tuple[Element, Transform, str]  # an element of a body, its frame and its default class


def robot_of(
    reader: AttributeReader, root: Element, for_mechanism: bool = False, remade: Collection[str] = ()
) -> Robot:
    """Robot model of a <mujoco> element, for `reading.read`, which explains the arguments and errors."""
    return _Bodies(Document(reader, root), None if for_mechanism else "shapes", frozenset(remade)).robot()


class _Bodies:
    """Converts the bodies of a document to links and joints.

    Attributes:
        balls: Names of the three hinges of each ball joint.
        references: Joint -> value [rad or m] in the pose in which the file defines the bodies.
        drawn: Link -> its world frame in that pose.
        floats: Whether the root has a free joint.
        coordinates: Coordinates of all joints, in MuJoCo's order.
        routed: Names of the sites through which tendons run.
    """

    def __init__(self, document: Document, shapes: str | None, remade: Collection[str]) -> None:
        self.document, self.reader, self.remade = document, document.reader, remade
        self.shapes = ShapeReader(document) if shapes else None
        self.links: list[ModelLink] = []
        self.joints: list[ModelJoint] = []
        self.balls: list[tuple[str, str, str]] = []
        self.references: dict[str, float] = {}
        self.drawn: dict[str, Transform] = {}
        self.floats = False
        self.coordinates: list[Coordinates] = []
        worlds = document.root.all("worldbody")
        self.names = LinkNames(worlds, self.drawn)
        self.joint_reader = JointReader(document)
        routed = {
            site.attributes.get("site") for tendon in document.sections("tendon") for site in tendon.children
        }
        self.routed = routed | {
            site.attributes.get("sidesite")
            for tendon in document.sections("tendon")
            for site in tendon.children
        }

    def robot(self) -> Robot:
        """Robot of the whole document. Call once.

        Raises:
            UrdfError: the file cannot be used.
        """
        document, reader = self.document, self.reader
        top = [
            entry
            for world in document.root.all("worldbody")
            for entry in self._contents(world, IDENTITY_TRANSFORM, "")
        ]
        self._add_bodies([entry for entry in top if entry[0].tag == "body"])
        sites = [entry for entry in top if entry[0].tag == "site" and entry[0].attributes.get("name")]
        self._add_closed_sites(sites)
        world_sites = {element.attributes["name"] for element, _, _ in sites}
        equality = EqualityReader(document, self.links, self.drawn, self.floats, self.references, world_sites)
        joints = equality.read(self.joints)
        check(reader, document.root, self.links, joints)
        for tendon in document.sections("tendon")[:1]:
            reader.warn(tendon, "tendons are not read: joints that they couple move independently")
        name = document.root.attributes.get("model", "").strip() or Path(reader.file).stem
        closures, balls = tuple(equality.closures), tuple(self.balls)
        robot = Robot(
            name, reader.file, tuple(self.links), tuple(joints), self.links[0].name, (), closures, balls=balls
        )
        driven = with_motors(document, robot)
        self._tell_sections()
        keyframes = postures(document, self.coordinates)
        return replace(driven, postures=keyframes, warnings=tuple(reader.warnings))

    def _add_bodies(self, bodies: list[BodyElement]) -> None:
        """Adds the outermost bodies: a single body without joints, or with a free one, is the root; others
        are connected to the world. Raises MalformedError if there are none.
        """
        if not bodies:
            raise self._no_bodies()
        if len(bodies) == 1 and not self._has_joints(*bodies[0]):
            self._body(*bodies[0], parent="")
            return
        world = WORLD if WORLD not in self.names.bodies else self.names.unique(WORLD)
        self.links.append(ModelLink(world, line=self.document.root.line))
        self.drawn[world] = IDENTITY_TRANSFORM
        for element, pose, childclass in bodies:
            self._body(element, pose, childclass, world)

    def _has_joints(self, body: Element, pose: Transform, childclass: str) -> bool:
        """Whether a body has joints other than a free one; arguments as in a `BodyElement`."""
        contents = self._contents(body, pose, body.attributes.get("childclass", childclass))
        return any(child.tag == "joint" and self._kind(child, name) != "free" for child, _, name in contents)

    def _no_bodies(self) -> UrdfError:
        """The error for a document without bodies; it names the first element that only MuJoCo's compiler
        converts to bodies, if there is one.
        """
        root = self.document.root
        generators = (
            entry for world in root.all("worldbody") for entry in world.below() if entry.tag in CONTAINERS
        )
        if (generator := next(generators, None)) is not None:
            return self.reader.error(MalformedError, generator, f"there is no <body> beside it. {EXPAND}")
        return self.reader.error(
            MalformedError, root, "it has no <body> in its <worldbody>: choose the robot's own file"
        )

    def _add_closed_sites(self, sites: list[BodyElement]) -> None:
        """Adds the world's named sites that close loops as links of the root, unless the root floats."""
        if self.floats:
            return
        closed = {
            element.attributes.get(end)
            for element in self.document.sections("equality")
            for end in ("site1", "site2")
        }
        root = self.links[0].name
        for element, pose, childclass in sites:
            if element.attributes["name"] in closed:
                self._frame(element, self.drawn[root].inverse().then(pose), childclass, root)

    def _tell_sections(self) -> None:
        """Warns of unknown sections of the document."""
        root = self.document.root
        tell(
            self.reader,
            root,
            [
                f"<{tag}>"
                for tag in dict.fromkeys(child.tag for child in root.children)
                if tag not in SECTIONS | SKIPPED
            ],
        )

    def _contents(self, element: Element, frame: Transform, childclass: str) -> list[BodyElement]:
        """(element, frame in which its pose is given, default class) of the elements of a body, including
        those in <frame>s. Unknown ones, and those in `CONTAINERS`, are left out with a warning.

        `frame`: the frame of `element`'s contents; `childclass`: their default class.
        """
        elements = []
        for child in element.children:
            if child.tag == "frame":
                within = frame.then(self.document.pose(child))
                elements += self._contents(child, within, child.attributes.get("childclass", childclass))
            elif child.tag in CONTAINERS:
                self.reader.warn(child, EXPAND)
            elif child.tag in ON_BODIES:
                elements.append((child, frame, childclass))
            else:
                tell(self.reader, element, [f"<{child.tag}>"])
        return elements

    def _body(self, element: Element, in_parent: Transform, childclass: str, parent: str) -> None:
        """Adds a body with its elements and child bodies to link `parent` ("" for the root), and warns of
        attributes that are not read. `in_parent`: frame in the parent in which the body's pose is given.
        """
        childclass = element.attributes.get("childclass", childclass)
        pose = in_parent.then(self.document.pose(element))
        name = element.attributes.get("name") or self.names.unique(f"{parent}_body")
        contents = self._contents(element, IDENTITY_TRANSFORM, childclass)
        self.drawn[name] = (self.drawn[parent] if parent else IDENTITY_TRANSFORM).then(pose)
        joints = self._connect(element, contents, parent, name, pose)
        self.links.append(
            ModelLink(name, self._inertial(contents), self._visuals(contents), element.line, element.file)
        )
        for read in (
            element,
            *(joint for joint, _ in joints if joint.attributes.get("name") not in self.remade),
        ):
            read.skip_attributes("group", "user")
            tell(self.reader, read, read.unread)
        for child, within, default_class in contents:
            if child.tag == "body":
                self._body(child, within, default_class, name)
            elif child.tag in ("site", "camera") and child.attributes.get("name"):
                self._frame(child, within, default_class, name)

    def _connect(
        self, element: Element, contents: list[BodyElement], parent: str, name: str, pose: Transform
    ) -> list[tuple[Element, Transform]]:
        """Adds the joints from a body's parent to it, and returns their elements with their frames; empty for
        a body with a free joint, which excludes others.
        """
        free = [
            child
            for child, _, default_class in contents
            if child.tag == "freejoint"
            or (child.tag == "joint" and self._kind(child, default_class) == "free")
        ]
        if free:
            self._add_free_joint(free[0], parent, name, pose)
            return []
        joints = [
            (self.document.with_defaults(child, default_class), within)
            for child, within, default_class in contents
            if child.tag == "joint"
        ]
        if parent:
            self._joints(joints, parent, name, pose, element)
        return joints

    def _add_free_joint(self, free: Element, parent: str, name: str, pose: Transform) -> None:
        """Records the free joint of a body: for the root, the robot floats; for other bodies it is a joint
        without a motor, with a warning.
        """
        self.coordinates.append(("free", ()))
        if not parent:
            self.floats = True
            return
        joint_name = self.names.joint(free, name)
        self.joints.append(
            ModelJoint(joint_name, "floating", parent, name, pose, line=free.line, file=free.file)
        )
        self.reader.warn(
            free, "a free joint cannot be driven by one motor: its body stays at its rest position"
        )

    def _kind(self, joint: Element, childclass: str) -> str:
        """Type of a <joint>: its own, else that of its default class, else "hinge"."""
        return self.document.with_defaults(joint, childclass).attributes.get("type", "hinge")

    def _frame(self, element: Element, within: Transform, childclass: str, body: str) -> None:
        """Adds a site or a camera of a body as a link. Sites through which a tendon runs are left out."""
        name = element.attributes["name"]
        if element.tag == "site" and name in self.routed:
            return
        element = self.document.with_defaults(element, childclass)
        ends = self.reader.numbers(element, "fromto", 6)
        if ends is not None:
            first = (ends[0], ends[1], ends[2])
            middle = Element(
                "site",
                {"pos": " ".join(repr(0.5 * (ends[k] + ends[k + 3])) for k in range(3))},
                element.line,
                [],
                element.file,
            )
            axis = " ".join(repr(first[k] - ends[k + 3]) for k in range(3))
            element = replace(middle, attributes={**middle.attributes, "zaxis": axis, "name": name})
        pose = within.then(self.document.pose(element))
        link = (
            name
            if name not in self.names.bodies and name not in self.drawn
            else self.names.unique(f"{name}_{element.tag}")
        )
        self.add_frame(link, body, pose, element)

    def add_frame(self, link: str, body: str, pose: Transform, element: Element) -> None:
        """Adds a link without mass that is fixed to a body; `pose`: its pose in the body."""
        self.links.append(ModelLink(link, line=element.line, file=element.file))
        self.joints.append(
            ModelJoint(f"{link}_frame", "fixed", body, link, pose, line=element.line, file=element.file)
        )
        self.drawn[link] = self.drawn[body].then(pose)

    def _joints(
        self,
        joints: list[tuple[Element, Transform]],
        parent: str,
        body: str,
        pose: Transform,
        element: Element,
    ) -> None:
        """Adds a body's joints in their order from the parent, with a massless link between every two;
        without joints, a fixed one.
        """
        steps = [step for child, within in joints for step in self._steps(child, within, body)]
        if not steps:
            name, line, file = self.names.unique(f"{body}_fixed"), element.line, element.file
            self.joints.append(ModelJoint(name, "fixed", parent, body, pose, line=line, file=file))
            return
        # between joints the frame is the body's own, displaced by the previous joints; each joint's frame is
        # at the joint's point in this frame
        read = self.joint_reader
        for k, (name, kind, axis, at, child) in enumerate(steps):
            link = body if k == len(steps) - 1 else self.names.unique(f"{name}_link")
            if link != body:
                self.links.append(ModelLink(link, line=child.line, file=child.file))
                self.drawn[link] = self.drawn[body]
            lower, upper = read.limits(child, kind) if name not in self.remade else (None, None)
            if kind == "revolute" and lower is None and upper is None:
                kind = "continuous"
            reference = read.reference(child, kind == "prismatic")
            self.references[name] = reference
            drawn = translation(axis, -reference) if kind == "prismatic" else rotation(axis, -reference)
            origin = (pose if k == 0 else IDENTITY_TRANSFORM).then(at).then(drawn)
            joint = ModelJoint(
                name, kind, parent, link, origin, axis, lower, upper, line=child.line, file=child.file
            )
            self.joints.append(replace(joint, effort=read.effort(child), child_origin=at.inverse()))
            parent = link

    def _steps(self, joint: Element, within: Transform, body: str) -> list[JointAxis]:
        """The axes of a joint of a body, three for a ball, else one; notes it in `coordinates` and `balls`.
        Raises JointTypeError for an unknown type.
        """
        name, word = self.names.joint(joint, body), joint.attributes.get("type", "hinge")
        at = within.then(Transform(offset=self.document.vector(joint, "pos")))
        if word == "ball":
            joint.skip_attributes("axis")  # a ball has no axis, but its default class may have one
            at = Transform(offset=at.offset)  # a ball's rotation is in the body's frame, in any <frame>
            x, y, z = (f"{name}_{letter}" for letter, _ in BALL)
            self.balls.append((x, y, z))
            self.coordinates.append(("ball", (x, y, z)))
            axes = zip((x, y, z), BALL, strict=True)
            return [JointAxis(part, "continuous", axis, at, joint) for part, (_, axis) in axes]
        if word in KINDS:
            self.coordinates.append(("single", (name,)))
            return [JointAxis(name, KINDS[word], self.joint_reader.axis(joint), at, joint)]
        what = f"joint type '{word}' is unknown: use one of hinge, slide, ball, free"
        raise self.reader.error(JointTypeError, joint, what)

    def _inertial(self, contents: list[BodyElement]) -> Inertial | None:
        """Mass and inertia in a body's <inertial>; None without one or, with a warning, without a usable
        mass.
        """
        inertial = next(
            ((element, within) for element, within, _ in contents if element.tag == "inertial"), None
        )
        if inertial is None:
            return None
        element, within = inertial
        mass = self.reader.number(element, "mass")
        if mass is None or mass < 0.0:
            self.reader.warn(element, "its mass is missing or negative: it is left out")
            return None
        pose = within.then(self.document.pose(element))
        full = self.reader.numbers(element, "fullinertia", 6)
        if full is not None:
            xx, yy, zz, xy, xz, yz = full
            return Inertial(pose, mass, (xx, xy, xz, yy, yz, zz))
        xx, yy, zz = self.document.vector(element, "diaginertia")
        return Inertial(pose, mass, (xx, 0.0, 0.0, yy, 0.0, zz))

    def _visuals(self, contents: list[BodyElement]) -> tuple[Visual, ...]:
        """Visuals of a body with these contents, in the body's frame; empty if shapes are not read."""
        if self.shapes is None:
            return ()
        return tuple(
            replace(visual, origin=within.then(visual.origin))
            for element, within, childclass in contents
            if element.tag == "geom"
            for visual in self.shapes.visuals(self.document.with_defaults(element, childclass))
        )
