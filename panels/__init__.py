"""What the user sees: panels and overlays, which draw and change nothing."""
