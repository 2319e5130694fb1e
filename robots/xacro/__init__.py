"""Expansion of xacro files to URDF. Knows no Blender."""
