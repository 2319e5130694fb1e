"""The link to the robot: from filtered joint values to bytes on a serial port.

`link` is Blender's side, `worker` the process that talks to the port, `memory` the map between the two,
`safety` decides what may move.
"""
