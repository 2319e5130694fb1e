"""What the user sees: properties and states, drawn only."""
