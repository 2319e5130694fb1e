"""Motion Check: what a robot could not follow, before it has to, and where the end loses its target."""
