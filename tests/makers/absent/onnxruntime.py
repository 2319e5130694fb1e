"""Replaces onnxruntime, which Reachy Mini's daemon imports for the detection of faces, which is not used
here.
"""


class InferenceSession:
    pass


class SessionOptions:
    pass
