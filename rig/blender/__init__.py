"""Facts of Blender that versions or data blocks differ in: actions, overrides, identities, errors for users."""
