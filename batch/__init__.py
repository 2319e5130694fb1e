"""The command `limber_bake`: bakes many .blend files, in several processes."""
