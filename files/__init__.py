"""Reading and writing users' files safely."""
