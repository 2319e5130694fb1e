"""Base classes of errors. Every message names the channel, port or value and the remedy."""


class HardwareError(Exception):
    """An error about the robot that the user can correct; the message says how."""


class DeviceError(HardwareError, ValueError):
    """The description of a device or a channel is invalid."""


class AnglesError(HardwareError, ValueError):
    """Joint values do not fit the device."""


class WorkerError(HardwareError):
    """The worker process could not be started."""


class ExportError(HardwareError, ValueError):
    """The motion cannot be exported; the message names joint, frame, expected and found value, or the
    remedy.
    """
