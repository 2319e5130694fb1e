"""Pictures of stored postures, small enough for a list: made of numbers, so that no screen is needed."""
