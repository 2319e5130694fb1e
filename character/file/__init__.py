"""The character file (`.limber`): everything that a character needs to play without Blender."""
