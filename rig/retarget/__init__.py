"""Retarget: one armature follows the motion of another with its whole body, within its own joints' limits."""
