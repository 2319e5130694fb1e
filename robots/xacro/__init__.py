"""Expansion of xacro files to URDF."""
