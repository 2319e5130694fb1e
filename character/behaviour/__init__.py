"""Behaviour: what a character does on its own, as data, and the engine that makes its decisions. Independent
of Blender.
"""
