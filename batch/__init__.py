"""The command `limber-bake`: bakes many .blend files, one after the other or at once."""
