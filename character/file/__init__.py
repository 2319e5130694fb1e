"""The character file (`.limber`): all with which a character plays without Blender. Knows no Blender."""
