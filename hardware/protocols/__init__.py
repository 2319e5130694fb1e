"""The bytes that devices speak: one codec a file, without ports, clocks or threads. Knows no Blender."""
