"""Whole-body tracking: files of targets, the paper's table and figures, and other libraries."""
