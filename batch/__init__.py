"""Many .blend files, one after the other or at once: the command `limber-bake`."""
