"""Creation and checks of mechanisms in the scene."""
