"""The engine: the movers of a character and their motion in one frame. Knows no Blender, no hardware and no clock."""
