"""Properties that the .blend stores for Limber, on objects, bones and scenes."""
