"""Base classes of errors. Every message names the channel, port or value and the remedy."""


class HardwareError(Exception):
    """An error about the robot that the user can correct; the message says how."""


class DeviceError(HardwareError, ValueError):
    """The description of a device or a channel is invalid."""


class AnglesError(HardwareError, ValueError):
    """Joint values, or the index of a joint or channel, do not fit the device."""


class WorkerError(HardwareError):
    """The worker or a background job, or its shared memory or port, is not available."""


class ExportError(HardwareError, ValueError):
    """The motion cannot be exported; the message names joint, frame, expected and found value, or the
    remedy.
    """
