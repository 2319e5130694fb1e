"""Whole-body tracking: files of targets, table and figures of Rapetti et al. 2020, and other libraries."""
