"""Panels, lists, menus and viewport overlays: they draw properties and states, and change nothing."""
