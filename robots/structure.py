"""Whether links and joints make one tree: names, parents, loops, roots, what mimics what. Knows no Blender."""

from collections.abc import Sequence
from dataclasses import replace

from .errors import LoopError, MalformedError, MimicError, NameClashError, RootError, UnknownNameError, UrdfError
from .model import Joint, Link
from .source import Source
from .xml_tree import Element

NAMED = 4  # of many things that are wrong alike: more make no message clearer


def without_lost_mimics(source: Source, joints: Sequence[Joint]) -> tuple[Joint, ...]:
    """The joints, those that mimic one that is not there or cannot move without what they mimic: public files have such."""
    named, movable = {joint.name for joint in joints}, {joint.name for joint in joints if joint.moves}
    found = []
    for joint in joints:
        if joint.mimic is not None and joint.mimic.joint not in movable:
            why = "cannot move" if joint.mimic.joint in named else "is not there"
            name = f"<joint name={joint.name!r}>"
            source.warnings.append(f"line {joint.line}, {name}: it mimics joint '{joint.mimic.joint}', which {why}: it moves by itself")
            joint = replace(joint, mimic=None)
        found.append(joint)
    return tuple(found)


def check(source: Source, robot: Element, links: Sequence[Link], joints: Sequence[Joint]) -> None:
    """Raises an error at the first thing that keeps the links from being one tree."""
    if not links:
        raise source.error(MalformedError, robot, "it has no <link>")
    _names(source, "link", links)
    _names(source, "joint", joints)
    _ends(source, links, joints)
    _loops(source, links, joints)
    _roots(source, robot, links, joints)
    _mimics(source, joints)


def _error(source: Source, kind: type[UrdfError], thing: Link | Joint, what: str) -> UrdfError:
    return kind(source.file, thing.line, f"<{'joint' if isinstance(thing, Joint) else 'link'} name={thing.name!r}>", what)


def _names(source: Source, word: str, things: Sequence[Link] | Sequence[Joint]) -> None:
    first: dict[str, Link | Joint] = {}
    for thing in things:
        if thing.name in first:
            what = f"there is a {word} '{thing.name}' already, in line {first[thing.name].line}: give one of them another name"
            raise _error(source, NameClashError, thing, what)
        first[thing.name] = thing


def _ends(source: Source, links: Sequence[Link], joints: Sequence[Joint]) -> None:
    known = {link.name for link in links}
    for joint in joints:
        for word, name in (("parent", joint.parent), ("child", joint.child)):
            if name not in known:
                raise _error(source, UnknownNameError, joint, f"its {word} is link '{name}', which the file does not have")


def _loops(source: Source, links: Sequence[Link], joints: Sequence[Joint]) -> None:
    above: dict[str, Joint] = {}
    for joint in joints:
        if joint.parent == joint.child:
            raise _error(source, LoopError, joint, f"link '{joint.child}' hangs on itself: its parent must be another link")
        if joint.child in above:
            first = above[joint.child]
            what = (
                f"link '{joint.child}' hangs on joint '{first.name}' (line {first.line}) already, which closes a loop:"
                " a URDF tree cuts each loop at one joint"
            )
            raise _error(source, LoopError, joint, what)
        above[joint.child] = joint
    ending: set[str] = set()  # links whose way up ends
    for link in links:
        path = {link.name: None}  # in the order of the walk
        name = link.name
        while name in above and name not in ending:
            joint = above[name]
            name = joint.parent
            if name in path:
                names = list(path)
                circle = " on ".join(f"'{found}'" for found in [*names[names.index(name) :][:NAMED], name])
                raise _error(source, LoopError, joint, f"links go round in a circle: {circle}")
            path[name] = None
        ending.update(path)  # `|=` with a dict's keys would copy the whole set


def _roots(source: Source, robot: Element, links: Sequence[Link], joints: Sequence[Joint]) -> None:
    children = {joint.child for joint in joints}
    roots = [link for link in links if link.name not in children]
    if len(roots) > 1:
        named = ", ".join(f"'{link.name}' (line {link.line})" for link in roots[:NAMED]) + (" ..." if len(roots) > NAMED else "")
        raise _error(
            source, RootError, roots[1], f"{len(roots)} links hang on no other: {named}. Join them by fixed joints, so that one is left"
        )


def _mimics(source: Source, joints: Sequence[Joint]) -> None:
    named = {joint.name: joint for joint in joints}
    ending: set[str] = set()  # joints that follow one that leads
    for joint in joints:
        followed, seen = joint, {joint.name}
        while followed.mimic is not None and followed.name not in ending:
            leader = named[followed.mimic.joint]
            if leader.name in seen:
                what = f"it mimics joint '{leader.name}', which follows it in turn: let one of them lead"
                raise _error(source, MimicError, followed, what)
            seen.add(leader.name)
            followed = leader
        ending |= seen
