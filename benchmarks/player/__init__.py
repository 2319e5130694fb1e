"""Measurements of the player: ticks, start, memory, interruptions, damaged files, long play, and how far its
motion is from Blender's.
"""
