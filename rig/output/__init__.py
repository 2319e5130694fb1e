"""Outputs of motion: keyframes, files, comparisons and checks."""
