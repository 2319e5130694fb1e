"""What Blender shows of a solution: the hidden proxy armature, lines for overlays, and thumbnails."""
