"""The pictures of all stored postures that panels ask for, kept for this session and made outside of drawing.

A picture is kept by what it shows, so that undo, redo and another file can never show a wrong one: at most it is made anew. Which posture
has which picture is known until its action or its armature changes. Nothing of it is saved.
"""

from hashlib import blake2b
from typing import NamedTuple

import bpy
import bpy.utils.previews
import numpy as np

from ...blender.errors import RigError
from ...reading.goal import ends_of
from .figure import figure
from .raster import shrunk

SIZE = 128  # [pixels] of the picture in the panel
ICON = 32  # [pixels] of that in the list


class Key(NamedTuple):
    """A posture of a chain, and what is to be seen of the chain besides."""

    rig: int  # the armature object's session_uid
    chain: str  # its uid
    action: int  # its session_uid
    ends: tuple  # of each end its bone, and what says which way it looks


class _Gallery:
    """What this session has."""

    def __init__(self) -> None:
        self.previews: bpy.utils.previews.ImagePreviewCollection | None = None  # by what they show; none before register
        self.known: dict[Key, str] = {}  # what a posture shows; "" where it cannot be drawn
        self.doubted: set[Key] = set()  # of them, those that may show something else by now
        self.wanted: dict[Key, None] = {}  # in the order in which they were asked for
        self.choices: dict[tuple[int, str], list[tuple[str, str, str, int, int]]] = {}  # by the armature's session_uid and the chain's uid


_now = _Gallery()


def _key(rig, chain, action: bpy.types.Action) -> Key:
    ends = tuple((end.bone, end.settings.goal, end.settings.look, *end.settings.look_direction, end.settings.eye) for end in ends_of(chain))
    return Key(rig.session_uid, chain.uid, action.session_uid, ends)


def icon(rig, chain, action: bpy.types.Action) -> int:
    """Blender's number of a posture's picture, for this moment's drawing; 0 where there is none yet. Where it is new or may have changed
    it `is_wanting` then."""
    key = _key(rig, chain, action)
    shown = _now.known.get(key)
    if shown is None or key in _now.doubted:
        _now.wanted[key] = None
    return _now.previews[shown].icon_id if shown else 0


def picture(rig, chain, action: bpy.types.Action) -> bpy.types.ImagePreview | None:
    """The picture itself, as far as it is known."""
    shown = _now.known.get(_key(rig, chain, action))
    return _now.previews[shown] if shown else None


def is_wanting() -> bool:
    """Whether a picture was asked for that is not known."""
    return bool(_now.wanted)


def advance() -> bool:
    """Looks at one of the postures that were asked for, and draws it where it is new; returns whether there are more."""
    if _now.wanted:
        key = next(iter(_now.wanted))
        del _now.wanted[key]
        _now.doubted.discard(key)
        _now.known[key] = ""  # also where it cannot be drawn: it is not asked for again and again
        posture = _find(key)
        if posture is not None:
            _look_at(key, *posture)
    if not _now.wanted:
        _tidy()
    return bool(_now.wanted)


def _find(key: Key) -> tuple | None:
    """Armature, chain and action; None where one of them is gone."""
    rig = next((thing for thing in bpy.data.objects if thing.session_uid == key.rig), None)
    chain = rig and next((chain for chain in rig.limber.chains if chain.uid == key.chain), None)
    listed = (posture.action for posture in chain.postures if posture.action) if chain else ()
    action = next((action for action in listed if action.session_uid == key.action), None)
    return (rig, chain, action) if action else None


def _look_at(key: Key, rig, chain, action) -> None:
    """Finds out what a posture shows, and draws its picture where there is none like it."""
    try:
        found = figure(rig, chain, action)
    except RigError:  # Check says what is wrong with the chain
        return
    shown = blake2b(found.key(), digest_size=16).hexdigest()
    if shown not in _now.previews:
        fill(_now.previews.new(shown), found.picture(SIZE))
    _now.known[key] = shown


def give_picture(rig, chain, action: bpy.types.Action) -> None:
    """Gives a new pose asset its picture for Blender's own pose library, which has none of assets that it did not make.

    Raises:
        RigError: a bone of the chain is missing.
    """
    fill(action.preview_ensure(), figure(rig, chain, action).picture(SIZE))


def fill(preview: bpy.types.ImagePreview, drawn: np.ndarray) -> None:
    """Puts a picture (size, size, 4) into one of Blender's, with a small one for lists."""
    for kind, pixels in (("image", drawn), ("icon", shrunk(drawn, len(drawn) // ICON))):
        setattr(preview, f"{kind}_size", pixels.shape[:2])
        getattr(preview, f"{kind}_pixels_float").foreach_set(pixels.ravel())


def _tidy() -> None:
    """Frees the pictures of postures that are no more."""
    there = {
        _key(rig, chain, posture.action)
        for rig in bpy.data.objects
        if rig.type == "ARMATURE"
        for chain in rig.limber.chains
        for posture in chain.postures
        if posture.action
    }
    _now.known = {key: shown for key, shown in _now.known.items() if key in there}
    _now.doubted &= there
    used = set(_now.known.values())
    for shown in [shown for shown in _now.previews if shown not in used]:
        del _now.previews[shown]


def scene_updated(depsgraph) -> None:
    """Something was evaluated anew: postures whose action or armature changed are to be looked at again."""
    if not _now.known or not (depsgraph.id_type_updated("ACTION") or depsgraph.id_type_updated("ARMATURE")):
        return
    for update in depsgraph.updates:
        changed = update.id.original
        if isinstance(changed, bpy.types.Action):
            _now.doubted |= {key for key in _now.known if key.action == changed.session_uid}
        elif isinstance(changed, bpy.types.Armature):
            rigs = {thing.session_uid for thing in bpy.data.objects if thing.data == changed}
            _now.doubted |= {key for key in _now.known if key.rig in rigs}


def doubt() -> None:
    """Everything may have changed: look again at what is asked for."""
    _now.doubted = set(_now.known)


def forget() -> None:
    """The data is about to go."""
    _now.known.clear()
    _now.doubted.clear()
    _now.wanted.clear()
    _now.choices.clear()
    _now.previews.clear()


def choices(chain, _context) -> list[tuple[str, str, str, int, int]]:
    """The chain's postures as a list to choose from, with their pictures."""
    found = []
    for number, posture in enumerate(chain.postures):
        action = posture.action
        named = (action.name, icon(chain.id_data, chain, action)) if action else ("Deleted", 0)
        found.append((str(number), named[0], "Keep this posture", named[1], number))
    if chain.shown_posture < 0:
        found.append(("-1", "Removed", "No posture of the list", 0, -1))
    # Blender keeps no reference to what a function gives as items: each chain's own stay until they change.
    key = (chain.id_data.session_uid, chain.uid)
    if _now.choices.get(key) != found:
        _now.choices[key] = found
    return _now.choices[key]


def register() -> None:
    _now.previews = bpy.utils.previews.new()


def unregister() -> None:
    if _now.previews is not None:
        forget()
        bpy.utils.previews.remove(_now.previews)
        _now.previews = None
