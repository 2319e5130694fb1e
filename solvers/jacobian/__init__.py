"""The Jacobian family (Buss 2009): methods that turn joints by what the Jacobian says of the errors. Knows no Blender."""
