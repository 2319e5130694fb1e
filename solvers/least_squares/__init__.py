"""Least squares within bounds and linear constraints. Knows no Blender."""
