"""The page with which a person directs a character from a browser: its server and commands."""
