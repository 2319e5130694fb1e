"""The worker process: checks, interpolates, limits and sends joint values. Knows no Blender; standard library and pyserial only."""
