"""Errors that several modules of the robot link raise. Messages are for the user: what is wrong and, in most,
what to do.
"""


class HardwareError(Exception):
    """An error about the robot that the user can correct; the message says how."""


class DeviceError(HardwareError, ValueError):
    """The description of a device or a channel is invalid."""


class AnglesError(HardwareError, ValueError):
    """Wrong number of joint values, a value that is not a finite number, or an index for which the device has
    no joint or channel.
    """


class WorkerError(HardwareError):
    """The worker or a background job, or its shared memory or port, is not available."""


class ExportError(HardwareError, ValueError):
    """The motion cannot be exported; the message names joint, frame, expected and found value, or the
    remedy.
    """
