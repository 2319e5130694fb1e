"""Robots that Limber knows by name: one folder each, with a description, a model and its licence. Knows no Blender."""
