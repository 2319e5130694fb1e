"""Reading and writing users' files safely. Knows no Blender; uses the standard library only."""
