"""Objectives of a solve: each is an error and its Jacobian, for all its goals at once. Know no Blender."""
