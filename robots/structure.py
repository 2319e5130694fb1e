"""Checks that links and joints form one tree: names, parents, loops, roots, mimic joints."""

from collections.abc import Sequence
from dataclasses import replace

from .attributes import AttributeReader
from .errors import (
    LoopError,
    MalformedError,
    MimicError,
    NameClashError,
    RootError,
    UnknownNameError,
    UrdfError,
)
from .model import ModelJoint, ModelLink
from .xml_tree import Element

NAMED = 4  # largest number of names in a message


def without_lost_mimics(reader: AttributeReader, joints: Sequence[ModelJoint]) -> tuple[ModelJoint, ...]:
    """The joints; a mimic joint without a movable leader becomes an independent joint, with a warning.
    Published files have such joints.
    """
    named, movable = {joint.name for joint in joints}, {joint.name for joint in joints if joint.is_movable}
    new_joints = []
    for joint in joints:
        if joint.mimic is not None and joint.mimic.joint not in movable:
            why = "cannot move" if joint.mimic.joint in named else "is not there"
            name = f"<joint name={joint.name!r}>"
            reader.warnings.append(
                f"line {joint.line}, {name}: it mimics joint '{joint.mimic.joint}', which {why}: it moves"
                " independently"
            )
            joint = replace(joint, mimic=None)
        new_joints.append(joint)
    return tuple(new_joints)


def check(
    reader: AttributeReader, robot: Element, links: Sequence[ModelLink], joints: Sequence[ModelJoint]
) -> None:
    """Raises a UrdfError for the first reason why links and joints do not form one tree, or for mimic joints
    that follow each other in a cycle.
    """
    if not links:
        raise reader.error(MalformedError, robot, "it has no <link>")
    _check_names(reader, "link", links)
    _check_names(reader, "joint", joints)
    _check_ends(reader, links, joints)
    _check_loops(reader, links, joints)
    _check_roots(reader, robot, links, joints)
    _check_mimics(reader, joints)


def _error(
    reader: AttributeReader, kind: type[UrdfError], element: ModelLink | ModelJoint, what: str
) -> UrdfError:
    """An error of the type `kind` at a link or a joint."""
    return kind(
        element.file or reader.file,
        element.line,
        f"<{'joint' if isinstance(element, ModelJoint) else 'link'} name={element.name!r}>",
        what,
    )


def _check_names(
    reader: AttributeReader, word: str, elements: Sequence[ModelLink] | Sequence[ModelJoint]
) -> None:
    """Raises NameClashError if two of the elements have one name."""
    first: dict[str, ModelLink | ModelJoint] = {}
    for element in elements:
        if element.name in first:
            what = (
                f"there is a {word} '{element.name}' already, in line {first[element.name].line}: give one of"
                " them another name"
            )
            raise _error(reader, NameClashError, element, what)
        first[element.name] = element


def _check_ends(reader: AttributeReader, links: Sequence[ModelLink], joints: Sequence[ModelJoint]) -> None:
    """Raises UnknownNameError if a joint's parent or child is no link."""
    known = {link.name for link in links}
    for joint in joints:
        for word, name in (("parent", joint.parent), ("child", joint.child)):
            if name not in known:
                raise _error(
                    reader,
                    UnknownNameError,
                    joint,
                    f"its {word} is link '{name}', which the file does not have",
                )


def _check_loops(reader: AttributeReader, links: Sequence[ModelLink], joints: Sequence[ModelJoint]) -> None:
    """Raises LoopError if a link has two parents, or is its own ancestor."""
    above: dict[str, ModelJoint] = {}  # link -> the joint from its parent to it
    for joint in joints:
        if joint.parent == joint.child:
            raise _error(
                reader,
                LoopError,
                joint,
                f"link '{joint.child}' is its own parent: name another link as its parent",
            )
        if joint.child in above:
            first = above[joint.child]
            what = (
                f"link '{joint.child}' is already the child of joint '{first.name}' (line {first.line}),"
                " which closes a loop: a URDF file must cut each loop at one joint"
            )
            raise _error(reader, LoopError, joint, what)
        above[joint.child] = joint
    ending: set[str] = set()  # links from which a root has been reached
    for link in links:
        path = {link.name: None}  # links from `link` toward the root, in order
        name = link.name
        while name in above and name not in ending:
            joint = above[name]
            name = joint.parent
            if name in path:
                names = list(path)
                circle = " -> ".join(
                    f"'{link_name}'" for link_name in [*names[names.index(name) :][:NAMED], name]
                )
                raise _error(
                    reader, LoopError, joint, f"links are each other's parents in a circle: {circle}"
                )
            path[name] = None
        ending.update(path)  # `|=` with a dict's keys would copy the whole set


def _check_roots(
    reader: AttributeReader, robot: Element, links: Sequence[ModelLink], joints: Sequence[ModelJoint]
) -> None:
    """Raises RootError if several links have no parent."""
    children = {joint.child for joint in joints}
    roots = [link for link in links if link.name not in children]
    if len(roots) > 1:
        named = ", ".join(f"'{link.name}' (line {link.line})" for link in roots[:NAMED]) + (
            " ..." if len(roots) > NAMED else ""
        )
        raise _error(
            reader,
            RootError,
            roots[1],
            f"{len(roots)} links have no parent: {named}. Connect all but one by fixed joints",
        )


def _check_mimics(reader: AttributeReader, joints: Sequence[ModelJoint]) -> None:
    """Raises MimicError if a joint mimics itself, directly or through others. Each leader must be one of the
    joints, as after `without_lost_mimics`.
    """
    named = {joint.name: joint for joint in joints}
    ending: set[str] = set()  # joints from which a leader has been reached
    for joint in joints:
        followed, seen = joint, {joint.name}
        while followed.mimic is not None and followed.name not in ending:
            leader = named[followed.mimic.joint]
            if leader.name in seen:
                what = f"it mimics joint '{leader.name}', which mimics it: let one of them be the leader"
                raise _error(reader, MimicError, followed, what)
            seen.add(leader.name)
            followed = leader
        ending |= seen
