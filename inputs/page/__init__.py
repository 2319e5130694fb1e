"""The page by which a person directs a character from a browser: server, and what it shows. No Blender."""
