"""What shows a solution: the hidden proxy armature, overlays, thumbnails."""
