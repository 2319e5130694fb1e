"""The worker process: checks, interpolates, limits, paces and sends. Knows no Blender; standard library and pyserial only."""
