"""The scene: what is stored in the .blend, how an armature becomes a skeleton and back, the tick, the handlers."""
