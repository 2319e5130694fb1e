"""Panels, lists, menus and viewport overlays. They only show properties and states; changes are made by
operators.
"""
