"""Takes onnxruntime's place, which Reachy Mini's daemon imports for faces that nobody looks for here."""


class InferenceSession:
    pass


class SessionOptions:
    pass
