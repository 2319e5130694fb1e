"""Writing users' files so that none is lost. Knows no Blender; the standard library alone."""
