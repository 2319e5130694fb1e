"""The hardware's own errors. Knows no Blender. Every message names the channel, port or value and what to do."""


class HardwareError(Exception):
    """Something about the robot that the user can mend; the message says how."""


class DeviceError(HardwareError, ValueError):
    """A device or a channel is described in a way that cannot work."""


class AnglesError(HardwareError, ValueError):
    """Angles that do not fit the device."""


class WorkerError(HardwareError):
    """The worker process could not be started."""
