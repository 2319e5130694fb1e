"""Bones of an armature: axes, channels, joints, and the effects of constraints."""
