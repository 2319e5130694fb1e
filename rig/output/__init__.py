"""What motion is written to: keys, files, comparisons and checks."""
