"""Operators: buttons, menu entries and dialogues."""
