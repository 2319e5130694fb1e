"""The demo lamp for new users: its rig, postures, target and meshes."""
