"""Display of solutions in Blender: hidden proxy armatures, lines for overlays, and thumbnails of postures."""
