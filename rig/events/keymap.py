"""Shortcut of Stop in every editor: Blender's Window keymap comes before an editor's own, unless a modal
operator runs.
"""

import bpy

STOP_KEY = "Shift Esc"

_items: list[tuple] = []


def register() -> None:
    configuration = bpy.context.window_manager.keyconfigs.addon
    if configuration is None:  # there are no keymaps in background mode
        return
    keymap = configuration.keymaps.new(name="Window", space_type="EMPTY")
    _items.append((keymap, keymap.keymap_items.new("limber.stop", "ESC", "PRESS", shift=True)))


def unregister() -> None:
    for keymap, item in _items:
        keymap.keymap_items.remove(item)
    _items.clear()
