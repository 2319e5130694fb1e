"""The worker process: checks, interpolates, limits and sends joint values."""
