"""Helpers for Blender: versions, actions, library overrides, identities of data-blocks, errors for users."""
