"""Cache of posture thumbnails for this session. Thumbnails are rendered outside of drawing.

A thumbnail is stored under a hash of its content, so that undo, redo and other files never show a wrong
thumbnail. The hash of a posture's thumbnail is kept until its action or its armature changes. Nothing is
saved.
"""

from hashlib import blake2b
from typing import NamedTuple

import bpy
import bpy.utils.previews
import numpy as np

from ...blender.errors import RigError
from ...scene.goal import ends_of
from .figure import figure
from .raster import shrunk

SIZE = 128  # [pixels] side of the picture in the panel
ICON = 32  # [pixels] side of the icon in the list


class Key(NamedTuple):
    """Identifies a stored posture of a chain, together with the settings that change its thumbnail."""

    rig: int  # session_uid of the armature object
    chain: str  # uid of the chain
    action: int  # session_uid of the action
    ends: tuple  # for each end: bone, goal, forward axis and direction, and Eye


class _Gallery:
    """State of the cache of thumbnails."""

    def __init__(self) -> None:
        # previews by hash; None while Limber is not registered
        self.previews: bpy.utils.previews.ImagePreviewCollection | None = None
        self.known: dict[Key, str] = {}  # key -> hash of the posture's thumbnail; "" if it cannot be drawn
        self.outdated: set[Key] = set()  # keys in `known` whose thumbnail may have changed
        self.requested: dict[Key, None] = {}  # keys to render, in the order of the requests
        # enumeration items, by the armature's session_uid and the chain's uid
        self.choices: dict[tuple[int, str], list[tuple[str, str, str, int, int]]] = {}


_cache = _Gallery()


def _key(rig: bpy.types.Object, chain: bpy.types.PropertyGroup, action: bpy.types.Action) -> Key:
    """Key of a chain's stored posture in the cache."""
    ends = tuple(
        (
            end.bone,
            end.settings.goal,
            end.settings.forward_axis,
            *end.settings.forward_direction,
            end.settings.eye,
        )
        for end in ends_of(chain)
    )
    return Key(rig.session_uid, chain.uid, action.session_uid, ends)


def icon(rig: bpy.types.Object, chain: bpy.types.PropertyGroup, action: bpy.types.Action) -> int:
    """Icon number of a posture's thumbnail, valid for the current drawing; 0 if it is not rendered yet or
    cannot be drawn. A missing or outdated thumbnail is requested.
    """
    key = _key(rig, chain, action)
    content_hash = _cache.known.get(key)
    if content_hash is None or key in _cache.outdated:
        _cache.requested[key] = None
    return _cache.previews[content_hash].icon_id if content_hash else 0


def picture(
    rig: bpy.types.Object, chain: bpy.types.PropertyGroup, action: bpy.types.Action
) -> bpy.types.ImagePreview | None:
    """The thumbnail of a posture; None if it is not rendered yet or cannot be drawn."""
    content_hash = _cache.known.get(_key(rig, chain, action))
    return _cache.previews[content_hash] if content_hash else None


def is_pending() -> bool:
    """Whether any thumbnail is requested and not rendered yet."""
    return bool(_cache.requested)


def advance() -> bool:
    """Renders one requested thumbnail, and after the last one frees those of deleted postures; returns
    whether more are requested.
    """
    if _cache.requested:
        key = next(iter(_cache.requested))
        del _cache.requested[key]
        _cache.outdated.discard(key)
        # stored even if the thumbnail cannot be drawn, so that it is not requested again
        _cache.known[key] = ""
        posture = _find(key)
        if posture is not None:
            _render(key, *posture)
    if not _cache.requested:
        _tidy()
    return bool(_cache.requested)


def _find(key: Key) -> tuple | None:
    """Armature, chain and action of a key; None if one of them was deleted, or if the action is no longer in
    the chain's list.
    """
    rig = next((obj for obj in bpy.data.objects if obj.session_uid == key.rig), None)
    chain = rig and next((chain for chain in rig.limber.chains if chain.uid == key.chain), None)
    listed = (posture.action for posture in chain.postures if posture.action) if chain else ()
    action = next((action for action in listed if action.session_uid == key.action), None)
    return (rig, chain, action) if action else None


def _render(
    key: Key, rig: bpy.types.Object, chain: bpy.types.PropertyGroup, action: bpy.types.Action
) -> None:
    """Renders the thumbnail of a posture, unless an equal one is in the cache."""
    try:
        posed_figure = figure(rig, chain, action)
    except RigError:  # Check reports the chain's error
        return
    content_hash = blake2b(posed_figure.key(), digest_size=16).hexdigest()
    if content_hash not in _cache.previews:
        fill(_cache.previews.new(content_hash), posed_figure.picture(SIZE))
    _cache.known[key] = content_hash


def give_picture(rig: bpy.types.Object, chain: bpy.types.PropertyGroup, action: bpy.types.Action) -> None:
    """Sets the preview of a new pose asset, for Blender's asset browser.

    Raises:
        RigError: a bone of the chain is missing.
    """
    fill(action.preview_ensure(), figure(rig, chain, action).picture(SIZE))


def fill(preview: bpy.types.ImagePreview, drawn: np.ndarray) -> None:
    """Copies a picture (size, size, 4) into a Blender preview, with a smaller copy as its icon."""
    for kind, pixels in (("image", drawn), ("icon", shrunk(drawn, len(drawn) // ICON))):
        setattr(preview, f"{kind}_size", pixels.shape[:2])
        getattr(preview, f"{kind}_pixels_float").foreach_set(pixels.ravel())


def _tidy() -> None:
    """Frees the thumbnails of postures that were deleted, or whose chain's ends have changed since."""
    existing = {
        _key(rig, chain, posture.action)
        for rig in bpy.data.objects
        if rig.type == "ARMATURE"
        for chain in rig.limber.chains
        for posture in chain.postures
        if posture.action
    }
    _cache.known = {key: known for key, known in _cache.known.items() if key in existing}
    _cache.outdated &= existing
    used = set(_cache.known.values())
    for unused in [name for name in _cache.previews if name not in used]:
        del _cache.previews[unused]


def scene_updated(depsgraph: bpy.types.Depsgraph) -> None:
    """Marks thumbnails as outdated whose action or armature was changed by this depsgraph update."""
    if not _cache.known or not (depsgraph.id_type_updated("ACTION") or depsgraph.id_type_updated("ARMATURE")):
        return
    for update in depsgraph.updates:
        changed = update.id.original
        if isinstance(changed, bpy.types.Action):
            _cache.outdated |= {key for key in _cache.known if key.action == changed.session_uid}
        elif isinstance(changed, bpy.types.Armature):
            rigs = {obj.session_uid for obj in bpy.data.objects if obj.data == changed}
            _cache.outdated |= {key for key in _cache.known if key.rig in rigs}


def invalidate() -> None:
    """Marks all thumbnails as outdated."""
    _cache.outdated = set(_cache.known)


def forget() -> None:
    """Clears the cache, before Blender frees the data to which it refers."""
    _cache.known.clear()
    _cache.outdated.clear()
    _cache.requested.clear()
    _cache.choices.clear()
    _cache.previews.clear()


def choices(
    chain: bpy.types.PropertyGroup, _context: bpy.types.Context
) -> list[tuple[str, str, str, int, int]]:
    """Enumeration items of the chain's postures, with their thumbnails; one for a removed posture if that is
    selected.
    """
    enum_items = []
    for number, posture in enumerate(chain.postures):
        action = posture.action
        named = (action.name, icon(chain.id_data, chain, action)) if action else ("Deleted", 0)
        enum_items.append((str(number), named[0], "Keep this posture", named[1], number))
    if chain.shown_posture < 0:
        enum_items.append(("-1", "Removed", "No posture of the list", 0, -1))
    # Blender keeps no reference to the items of a dynamic enumeration, so they are stored here until they
    # change
    key = (chain.id_data.session_uid, chain.uid)
    if _cache.choices.get(key) != enum_items:
        _cache.choices[key] = enum_items
    return _cache.choices[key]


def register() -> None:
    _cache.previews = bpy.utils.previews.new()


def unregister() -> None:
    if _cache.previews is not None:
        forget()
        bpy.utils.previews.remove(_cache.previews)
        _cache.previews = None
