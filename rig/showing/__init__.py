"""Display of solutions in Blender: the hidden proxy armature, lines for overlays, and thumbnails."""
