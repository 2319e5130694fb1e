"""What movers meet in the scene: goals, what depends on what, and where things will be."""
