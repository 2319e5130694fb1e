"""How a solution is shown: the hidden proxy armature, overlays, thumbnails."""
