"""Makes LeRobot's datasets importable without PyTorch and PyAV, which read images: numbers are numpy arrays.

Import it before `lerobot`, in the makers' Python.
"""

import light
import numpy

light.ABSENT = (*light.ABSENT, "av", "safetensors", "torchcodec")
import torch  # noqa: E402
from lerobot.utils import import_utils  # noqa: E402

torch.tensor, torch.Tensor = numpy.asarray, numpy.ndarray
import_utils._require_package_cache.update(dict.fromkeys(("av", "torch"), True))
