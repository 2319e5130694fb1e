"""The engine: what a character is and how it moves in one frame. Knows no Blender, no hardware and no clock."""
