"""How operators report errors in the user's set-up, files and robot."""

from functools import wraps

from ..hardware.errors import HardwareError
from ..motion import MotionError
from ..rig.blender.errors import RigError
from ..robots.errors import UrdfError

ERRORS = (RigError, HardwareError, MotionError, UrdfError)


def reports_errors(execute):
    """Decorates an operator's `execute`: where it raises one of `ERRORS`, the error is reported and the operator cancelled."""

    @wraps(execute)
    def reporting(self, context):
        try:
            return execute(self, context)
        except ERRORS as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}

    return reporting
