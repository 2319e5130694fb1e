"""The commands `limber_bake` and `limber_retarget`, which process many files in several Blender processes."""
