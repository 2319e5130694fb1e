"""Facts of Blender: versions, actions, library overrides, identities of data, errors for users."""
