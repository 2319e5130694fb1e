"""The link to the robot: from filtered joint values to bytes on a serial port or a network connection.

`link` is the side of the host (Blender or the player), `worker` the process that talks to the robot, `memory`
the memory that the two share; `safety` decides what may move.
"""
