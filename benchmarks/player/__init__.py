"""Measurements of the player without Blender: ticks, start, memory, interruptions, damaged files, long
play.
"""
