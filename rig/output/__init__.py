"""What motion is written to or held against: keys, files, comparisons, checks."""
