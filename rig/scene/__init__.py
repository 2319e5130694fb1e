"""What movers need to know of the scene: goals, dependencies, and predicted transforms."""
