"""The commands `limber_bake` and `limber_retarget`: many files, many in each of several processes."""
