"""What the user does: one verb a file."""
