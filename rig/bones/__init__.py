"""Bones of an armature: axes, channels, joints and what constraints make of them."""
