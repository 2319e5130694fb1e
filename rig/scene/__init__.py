"""Data of the scene that movers use: goals, dependencies, and predicted transforms."""
