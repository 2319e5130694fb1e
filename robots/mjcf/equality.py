"""MJCF's equality constraints as closures between links, as mimic joints, and as joints held at one value."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from ...solvers.kinematics.rotations import Vector
from ..errors import UnknownNameError
from ..model import Closure, Mimic, ModelJoint, ModelLink
from ..transform import IDENTITY_TRANSFORM, Transform
from ..xml_tree import Element
from .document import NO_LENGTH, Document

HIGHER_ORDER = 1e-12  # coefficient of x^2 or higher powers above which a coupling is nonlinear
HELD = "it holds a free body to the world: it is left out"


class EqualityReader:
    """Reads the <equality> sections of one document; adds massless links to the robot at the points where
    bodies are joined.
    """

    def __init__(
        self,
        document: Document,
        links: list[ModelLink],
        drawn: dict[str, Transform],
        floats: bool,
        references: Mapping[str, float],
        world_sites: Collection[str],
    ) -> None:
        """Reader of one document.

        Args:
            document: The document.
            links: Links of the robot; `read` appends the new ones.
            drawn: World frames of these links in the pose in which the file defines the bodies.
            floats: Whether the root body moves freely.
            references: Joint values [rad or m] in that pose.
            world_sites: Names of the world's sites.
        """
        self.document, self.reader = document, document.reader
        self.links, self.drawn, self.floats, self.references, self.world_sites = (
            links,
            drawn,
            floats,
            references,
            world_sites,
        )
        self.closures: list[Closure] = []
        self._frames: list[ModelJoint] = []
        # requested name of a link -> last number appended to make it unique
        self._counts: dict[str, int] = {}

    def read(self, joints: Sequence[ModelJoint]) -> list[ModelJoint]:
        """The joints, with leaders set for mimic joints, and with fixed joints for the links that were added.
        Appends the closures to `closures`. Constraints of other kinds are left out with a warning.

        Raises:
            UrdfError: a constraint is malformed, or names a joint, body or site that does not exist.
        """
        joints_by_name = {joint.name: joint for joint in joints}
        for element in self.document.sections("equality"):
            element = self.document.with_defaults(element, "")
            if element.attributes.get("active", "true") == "false":
                continue
            if element.tag == "joint":
                self._follow(element, joints_by_name)
            elif element.tag in ("connect", "weld"):
                self._read_closure(element)
            else:
                self.reader.warn(element, f"a constraint of kind '{element.tag}' is not read: it is left out")
        return [*joints_by_name.values(), *self._frames]

    def _follow(self, element: Element, joints: dict[str, ModelJoint]) -> None:
        """Makes joint1 a mimic joint of joint2 with a linear relation; without joint2, sets its limits to one
        value. Higher orders, and a second leader, are left out with a warning. Raises UnknownNameError for
        an unknown joint.
        """
        names = [
            self.reader.text(element, "joint1"),
            *([element.attributes["joint2"]] if "joint2" in element.attributes else []),
        ]
        for name in names:
            if name not in joints or not joints[name].is_movable:
                raise self.reader.error(
                    UnknownNameError, element, f"there is no hinge or slide '{name}': name one"
                )
        polycoef = self.document.numbers(element, "polycoef", 5) or ()
        coefficients = [*polycoef, *(0.0, 1.0, 0.0, 0.0, 0.0)[len(polycoef) :]]
        if any(abs(number) > HIGHER_ORDER for number in coefficients[2:]):
            self.reader.warn(
                element, "its polycoef has higher orders than a straight line, which are left out"
            )
        follower = joints[names[0]]
        # without joint2, MuJoCo holds the first joint at the constant of its polynomial
        if len(names) == 1:
            value = coefficients[0] + self.references[names[0]]
            joints[names[0]] = replace(
                follower, lower=value, upper=value, kind="revolute" if follower.is_rotary else "prismatic"
            )
            return
        if follower.mimic is not None:
            self.reader.warn(
                element,
                f"joint '{names[0]}' follows '{follower.mimic.joint}' already: this constraint is left out",
            )
            return
        # MuJoCo's polynomial relates displacements from the reference values, y - y0 = a0 + a1 (x - x0); a
        # mimic joint relates the values themselves
        first, second = (self.references[name] for name in names)
        offset = coefficients[0] + first - coefficients[1] * second
        joints[names[0]] = replace(follower, mimic=Mimic(names[1], coefficients[1], offset))

    # Closures

    def _read_closure(self, element: Element) -> None:
        """Adds the closure of a <connect> or <weld>; only warns if it holds a floating robot to the world.
        Raises UnknownNameError for an unknown site or body.
        """
        kind = "3d" if element.tag == "connect" else "6d"
        if "site1" in element.attributes or "site2" in element.attributes:
            sites = [self.reader.text(element, word) for word in ("site1", "site2")]
            for name in sites:
                # a floating robot has no link for the world, to which the world's sites could belong
                if self.floats and name in self.world_sites:
                    self.reader.warn(element, HELD)
                    return
                if name not in self.drawn:
                    raise self.reader.error(UnknownNameError, element, f"there is no site '{name}': name one")
            self._add_closure(sites[0], sites[1], kind)
            return
        bodies = [self._body(element, "body1"), self._body(element, "body2")]
        if None in bodies:
            self.reader.warn(element, HELD)
            return
        (first, from_first), (second, from_second) = (body for body in bodies if body is not None)
        anchor = self.document.vector(element, "anchor")
        # MuJoCo defines the anchor of a connect in the first body's frame, and joins to it the point of the
        # second body that coincides with it in the file's pose
        if element.tag == "connect":
            at = self.drawn[first].then(from_first).then(Transform(offset=anchor))
            frames = [at, at]
        else:
            frames = self._weld(
                element, self.drawn[first].then(from_first), self.drawn[second].then(from_second), anchor
            )
        name = element.attributes.get("name") or f"{element.tag}_{len(self.closures) + 1}"
        ends = [
            self._frame(f"closing_{name}_{k + 1}", body, frames[k], element)
            for k, body in enumerate((first, second))
        ]
        self._add_closure(ends[0], ends[1], kind)

    def _weld(self, element: Element, first: Transform, second: Transform, anchor: Vector) -> list[Transform]:
        """World frames that a weld joins (on the first body, on the second), in the pose in which the file
        defines the bodies. `first`, `second`: frames of the bodies; `anchor`: point in the second's frame
        [m].
        """
        at = second.then(Transform(offset=anchor))
        pose = self.reader.numbers(element, "relpose", 7)
        if pose is None or max(map(abs, pose[3:])) < NO_LENGTH:
            # MuJoCo's default: the relative pose is that of the file
            return [at, at]
        turned = Element("weld", {"quat": " ".join(map(repr, pose[3:]))}, element.line, [], element.file)
        relative = Transform(self.document.orientation(turned), (pose[0], pose[1], pose[2]))
        return [first.then(relative).then(Transform(offset=anchor)), at]

    def _body(self, element: Element, attribute: str) -> tuple[str, Transform] | None:
        """(link, frame in it) of the body that an attribute names, by default the world. The world's link is
        the root; None if the root floats. Raises UnknownNameError.
        """
        name = element.attributes.get(attribute, "world")
        if name == "world":
            root = self.links[0].name
            return None if self.floats else (root, self.drawn[root].inverse())
        if name not in self.drawn:
            raise self.reader.error(UnknownNameError, element, f"there is no body '{name}': name one")
        return name, IDENTITY_TRANSFORM

    def _frame(self, name: str, body: str, at: Transform, element: Element) -> str:
        """Adds a link that is fixed to a body, at a frame given in the world; returns its name: `name`, with
        a number if that is used.
        """
        requested = name
        while name in self.drawn:
            self._counts[requested] = self._counts.get(requested, 1) + 1
            name = f"{requested}_{self._counts[requested]}"
        self.links.append(ModelLink(name, line=element.line, file=element.file))
        pose = self.drawn[body].inverse().then(at)
        self._frames.append(
            ModelJoint(f"{name}_frame", "fixed", body, name, pose, line=element.line, file=element.file)
        )
        self.drawn[name] = at
        return name

    def _add_closure(self, first: str, second: str, kind: str) -> None:
        self.closures.append(Closure(first, second, "3d" if kind == "3d" else "6d"))
