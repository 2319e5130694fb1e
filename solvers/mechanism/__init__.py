"""Bodies and joints with closed loops: assembled, solved for goals, never taken apart. Knows no Blender."""
