"""All chains that move together: read from the evaluated scene, solved from the top of the hierarchy down.

A chain that hangs on another starts from its parent's new, filtered pose: what Blender has evaluated of it is one frame old.
"""

from dataclasses import dataclass, field

from mathutils import Matrix, Quaternion

from ..motion import Character, MotionError
from ..solvers import rotations
from ..solvers.gaze import GazeError, GazeGoal
from ..solvers.skeleton import SkeletonError
from . import goal as goals
from . import postures
from .errors import RigError
from .skeleton import UNIT, ChainReader, Motion, local_rest, parent_first
from .tick import Model, Outputs, State, make_model, tick

SETUP_ERRORS = (RigError, GazeError, SkeletonError, MotionError)


@dataclass
class Session:
    """What is known of one chain from tick to tick; nothing of it is saved."""

    reader: ChainReader | None = None
    reader_key: tuple = ()
    model: Model | None = None
    model_key: tuple = ()
    goal: GazeGoal | None = None
    goal_key: tuple = ()
    state: State | None = None
    outputs: Outputs | None = None
    channels: dict = field(default_factory=dict)  # bone name -> (rotation wxyz, location, scale): the warped basis
    problem: str = ""  # why the chain does not move, as a sentence with its remedy

    def restart(self) -> None:
        """Forget the motion: the next tick begins at rest in its solution."""
        self.state = None


class Stage:
    """The sessions of many chains, by (armature object, chain)."""

    def __init__(self) -> None:
        self.sessions: dict[tuple[int, str], Session] = {}
        self._poses: dict[tuple[int, str], Matrix] = {}  # this pass: new pose matrices of bones, by (rig, bone)

    def session(self, rig, chain) -> Session:
        return self.sessions.setdefault((rig.session_uid, chain.uid), Session())

    def forget_armature(self, data) -> None:
        """Its rest pose may have changed: read the chains on it anew."""
        for session in self.sessions.values():
            if session.reader and session.reader.armature_name == data.name:
                session.reader = None

    def advance(self, chains: list[tuple], depsgraph, dt: float) -> None:
        """One tick of the (rig, chain) pairs; the outcome is in their sessions. Reads only what the depsgraph has evaluated."""
        self._poses = {}
        for rig, chain in sorted(chains, key=_depth):
            session = self.session(rig, chain)
            session.problem = ""
            try:
                base = self.read(rig, chain, depsgraph, session)
                session.outputs, session.state = tick(session.model, session.goal, session.state, dt)
                session.problem = session.outputs.problem
            except SETUP_ERRORS as error:
                session.problem = str(error)
                continue
            self._keep(rig, session, base, depsgraph)

    def read(self, rig, chain, depsgraph, session: Session) -> Matrix:
        """Brings the session's model and goal up to date; returns the base's place in the armature.

        Raises:
            RigError, SkeletonError, GazeError, MotionError: the set-up cannot be used.
        """
        evaluated = rig.evaluated_get(depsgraph)
        if not evaluated.is_evaluated:
            raise RigError(f"Armature '{rig.name}' is hidden or in no visible collection: show it, Blender does not evaluate it otherwise")
        pose_bones = evaluated.pose.bones
        self._update_reader(rig, chain, session)
        reader = session.reader
        fixed = self._update_model(chain, session, pose_bones)
        if chain.target is None:
            raise RigError(f"Chain '{chain.name}' has no target: choose the object that it looks at")
        base = self._bone_matrix(rig, reader.base_bone, pose_bones) if reader.base_bone else Matrix()
        base_in_world = self._object_matrix(rig, depsgraph) @ base
        target_in_world = self._object_matrix(chain.target, depsgraph).translation
        aim = goals.aim_in_base(chain, target_in_world, base_in_world)
        posture = reader.angles(pose_bones)
        if chain.base == "POSTURE":
            posture = postures.angles(postures.active(chain), reader, posture)
        session.goal = GazeGoal(aim, posture, symmetric=False)
        session.goal_key = (aim, tuple(posture), fixed, session.model_key)
        return base

    def goal_changed(self, rig, chain, depsgraph) -> bool:
        """Whether the chain has something new to solve, or its set-up became right or wrong, since its last tick."""
        session = self.session(rig, chain)
        before, problem = session.goal_key, session.problem
        try:
            self.read(rig, chain, depsgraph, session)
        except SETUP_ERRORS as error:
            return str(error) != problem
        return session.goal_key != before

    def _update_reader(self, rig, chain, session: Session) -> None:
        modes = tuple(bone.rotation_mode if (bone := rig.pose.bones.get(joint.bone)) else "" for joint in chain.joints)
        key = (rig.data.name, chain.root, chain.end, tuple((joint.bone, joint.axis) for joint in chain.joints), modes)
        if session.reader is None or session.reader_key != key:
            session.reader, session.reader_key, session.model = ChainReader(rig, chain), key, None

    def _update_model(self, chain, session: Session, pose_bones) -> tuple:
        reader = session.reader
        fixed = reader.fixed(pose_bones)
        motions = [Motion(j.lower, j.upper, j.velocity, j.acceleration, j.jerk) for j in chain.joints]
        tool = (chain.look, chain.up, chain.eye)
        key = (fixed, tuple(motions), tool, chain.solver, chain.filter, chain.sigma, chain.rho)
        if session.model is None or session.model_key != key:
            skeleton = reader.skeleton(fixed, motions, *goals.tool_frame(chain, reader.end_length))
            same_joints = session.model is not None and len(session.model.skeleton.joints) == len(skeleton.joints)
            session.model = make_model(skeleton, chain.solver, chain.filter, Character(chain.sigma, chain.rho))
            session.model_key = key
            if not same_joints:
                session.restart()
        return fixed

    def _keep(self, rig, session: Session, base: Matrix, depsgraph) -> None:
        """Notes the warped basis of the chain's bones, and where they are now for the chains that hang on them."""
        reader, angles = session.reader, session.outputs.angles.tolist()
        pose_bones = rig.evaluated_get(depsgraph).pose.bones
        turned = dict(zip(reader.places, angles, strict=True))
        matrix, channels = base, {}
        for name in reader.names:
            bone = pose_bones[name]
            basis = bone.matrix_basis
            if name in reader.free:
                euler, turn = bone.rotation_euler, rotations.IDENTITY
                for axis in parent_first(bone.rotation_mode):
                    angle = turned[name, axis] if axis in reader.free[name] else euler["XYZ".index(axis)]
                    turn = rotations.multiply(turn, rotations.about(UNIT[axis], angle))
                location = (0.0, 0.0, 0.0) if bone.bone.use_connect else tuple(bone.location)
                channels[name] = (turn, location, tuple(bone.scale))
                basis = Matrix.LocRotScale(location, Quaternion(turn), bone.scale)
            matrix = matrix @ reader.local_rests[name] @ basis
            self._poses[rig.session_uid, name] = matrix
        session.channels = channels

    def _bone_matrix(self, rig, name: str, pose_bones) -> Matrix:
        """Pose matrix of a bone in its armature, with what this pass has moved above it."""
        below, bone = [], pose_bones[name]
        while bone is not None and (rig.session_uid, bone.name) not in self._poses:
            below.append(bone)
            bone = bone.parent
        if bone is None:
            return pose_bones[name].matrix.copy()
        matrix = self._poses[rig.session_uid, bone.name]
        for part in reversed(below):
            free = not any(not constraint.mute for constraint in part.constraints)
            local = local_rest(part.bone) @ part.matrix_basis if free else part.parent.matrix.inverted() @ part.matrix
            matrix = matrix @ local
        return matrix

    def _object_matrix(self, thing, depsgraph) -> Matrix:
        """World matrix of an object, with what this pass has moved above it."""
        evaluated = thing.evaluated_get(depsgraph)
        parent = thing.parent
        if parent is None or (not any(uid == parent.session_uid for uid, _ in self._poses) and parent.parent is None):
            return evaluated.matrix_world
        stale = parent.evaluated_get(depsgraph).matrix_world
        fresh = self._object_matrix(parent, depsgraph)
        if parent.type == "ARMATURE" and thing.parent_type == "BONE" and thing.parent_bone in parent.pose.bones:
            pose_bones = parent.evaluated_get(depsgraph).pose.bones
            stale = stale @ pose_bones[thing.parent_bone].matrix
            fresh = fresh @ self._bone_matrix(parent, thing.parent_bone, pose_bones)
        return evaluated.matrix_world if fresh == stale else fresh @ stale.inverted() @ evaluated.matrix_world


def _depth(pair) -> tuple:
    """Parents before children: how deep the armature hangs among objects, then how deep the chain's root hangs among bones."""
    rig, chain = pair
    depth, above = 0, rig.parent
    while above is not None:
        depth, above = depth + 1, above.parent
    root = rig.data.bones.get(chain.root)
    return depth, len(root.parent_recursive) if root else 0, rig.name, chain.name
