"""Thumbnails of stored postures, rendered with numpy, without a screen."""
