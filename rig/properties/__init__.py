"""What the .blend stores of Limber: properties of objects, bones and scenes."""
