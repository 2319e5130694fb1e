"""Operators that set or move the target: Look into Camera, Move with Mouse."""

from bpy.props import FloatVectorProperty
from mathutils import Vector

from ...rig.authoring import targets
from ...rig.blender.transforms import move_to
from ...rig.robot import links
from ...rig.scene.goal import ends_of, followed, followed_target, no_target, why_not_movable
from ..operator import UndoOperator
from ..subject import chain_of, needs_chain, rig_of

# prefixes of the event types that Blender still handles: navigation of the view, and timers
NAVIGATION = (
    "MIDDLEMOUSE",
    "WHEEL",
    "TRACKPAD",
    "MOUSEROTATE",
    "MOUSEZOOM",
    "MOUSEPAN",
    "NDOF",
    "NUMPAD",
    "TIMER",
)
PLAY = "SPACE"  # key that starts and ends playback, which Blender still handles


class LIMBER_OT_look_into_camera(UndoOperator):
    """Use the scene's camera as target of this chain, and of the armature's other chains with the
    same target
    """

    bl_label = "Look into Camera"

    @classmethod
    def why_not(cls, context) -> str:
        if why := needs_chain(context):
            return why
        if context.scene.camera is None:
            return "The scene has no camera: add one (Add > Camera)"
        if followed(chain_of(context)) == context.scene.camera:
            return f"Chain '{chain_of(context).name}' looks at the scene's camera already"
        return ""

    def run(self, context):
        names = targets.choose(rig_of(context), chain_of(context), context.scene.camera)
        self.report({"INFO"}, f"The target of {', '.join(names)} is '{context.scene.camera.name}' now")


class LIMBER_OT_move_with_mouse(UndoOperator):
    """Move the chain's target with the mouse pointer over the 3D view, at its current depth. Click to
    confirm, Esc to cancel
    """

    bl_label = "Move with Mouse"

    location: FloatVectorProperty(
        name="Location",
        description="Location of the target in the world",
        subtype="TRANSLATION",
        size=3,
        options={"SKIP_SAVE"},
    )

    @classmethod
    def why_not(cls, context) -> str:
        if why := needs_chain(context):
            return why
        chain = chain_of(context)
        target = followed_target(chain)
        return no_target(ends_of(chain)[0]) if target is None else why_not_movable(target)

    def run(self, context):
        move_to(followed(chain_of(context)), Vector(self.location))

    def invoke(self, context, event):
        if context.area is None or context.area.type != "VIEW_3D":
            self.report(
                {"ERROR"}, "The mouse moves a target over a 3D view: press the button in the view's sidebar"
            )
            return {"CANCELLED"}
        self._begin(context)
        context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def _begin(self, context):
        """Stores the target and its location, to put it back, and shows the keys in the status bar."""
        target = followed(chain_of(context))
        self.target, self.before = target.name, target.location.copy()
        self.location = target.matrix_world.translation
        context.workspace.status_text_set(
            f"The mouse moves '{target.name}'. Click: leave it there. Esc: put it back"
        )

    def modal(self, context, event):
        target = context.scene.objects.get(self.target)
        if target is None or context.area is None:
            self._end(context)
            self.report({"WARNING"}, f"Target '{self.target}' is gone, or its 3D viewport: moving has ended")
            return {"CANCELLED"}
        if event.type == "MOUSEMOVE":
            position = targets.under_mouse(context.area, event.mouse_x, event.mouse_y, Vector(self.location))
            if position is not None:
                self.location = position
                move_to(target, position)
            return {"RUNNING_MODAL"}
        if event.type in {"LEFTMOUSE", "RET", "NUMPAD_ENTER"} and event.value == "PRESS":
            return self._leave(context, target)
        if event.type in {"ESC", "RIGHTMOUSE"} and event.value == "PRESS":
            # Shift Esc stops robots; a modal operator gets it before the keymap
            if event.type == "ESC" and event.shift:
                links.stop_all()
            self.cancel(context)
            return {"CANCELLED"}
        return (
            {"PASS_THROUGH"} if event.type == PLAY or event.type.startswith(NAVIGATION) else {"RUNNING_MODAL"}
        )

    def _leave(self, context, target):
        """Ends the drag and leaves the target where it is, with a keyframe if Auto Keying is on."""
        self._end(context)
        if context.scene.tool_settings.use_keyframe_insert_auto:
            target.keyframe_insert("location")
        elif target.animation_data and target.animation_data.action:
            self.report(
                {"WARNING"},
                f"'{target.name}' is animated and moves on at the next frame: key its location (I), or use"
                " Auto Keying",
            )
        return {"FINISHED"}

    def cancel(self, context):
        """Ends the drag and puts the target back. Blender calls this too when the window closes."""
        self._end(context)
        target = context.scene.objects.get(self.target)
        if target is not None:
            target.location = self.before

    def _end(self, context):
        context.workspace.status_text_set(None)
