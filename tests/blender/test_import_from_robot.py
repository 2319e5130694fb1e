"""Tests Import from Robot: Reachy Mini's model and meshes are read from its daemon, and the robot is ready to
be driven by it.
"""

import http.server
import json
import socket
import threading

import bpy
import pytest

from tests.blender.modal import step_by_step
from tests.robots.robots import ARM, SHARED

REACHY = SHARED / "robots" / "reachy_mini"
MESH = (
    b"solid one\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 0.1 0 0\nvertex 0 0.1"
    b" 0\nendloop\nendfacet\nendsolid one\n"
)


@pytest.fixture
def daemon():
    """A daemon that returns `urdf`, or `answer` in its place, and `mesh` for every mesh; requests are
    recorded in `asked`. `sends_on_to` is the beginning of the address to which it redirects.
    """

    class Answers(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            server.asked.append(self.path)
            if server.sends_on_to and self.path.startswith("/api"):
                self.send_response(302)
                self.send_header("Location", server.sends_on_to + self.path)
                self.end_headers()
                return
            name = self.path.rpartition("/")[2]
            model = server.answer or json.dumps({"urdf": server.urdf}).encode()
            data = model if name == "urdf" else server.mesh(name)
            self.send_response(404 if data is None else 200)
            self.send_header("Content-Length", str(len(data or b"")))
            self.end_headers()
            self.wfile.write(data or b"")

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    server.asked, server.urdf, server.answer, server.mesh, server.sends_on_to = (
        [],
        ARM,
        b"",
        lambda name: MESH,
        "",
    )
    server.address = f"127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def from_robot(address):
    return bpy.ops.limber.import_from_robot(address=address)


def with_mesh(name: str) -> str:
    return ARM.replace('<sphere radius="0.04"/>', f'<mesh filename="{name}"/>')


ANGLE_BRACKET = ARM.replace(
    '<sphere radius="0.04"/>', '<mesh scale="1 1 1" note=">" filename="/etc/passwd"/>'
)


@pytest.mark.every_blender
@pytest.mark.skipif(not REACHY.exists(), reason=f"no folder {REACHY}")
def test_reachy_mini_comes_with_its_own_meshes_gaze_postures_and_address(daemon):
    from limber.rig.robot.device import describe

    daemon.urdf = (REACHY / "robot.urdf").read_text()
    daemon.mesh = lambda name: (REACHY / "assets" / name).read_bytes()
    assert from_robot(daemon.address) == {"FINISHED"}
    rig = bpy.context.active_object
    assert len(daemon.asked) == len(set(daemon.asked)) == 42
    device = rig.limber.device
    assert (device.protocol, device.port) == ("reachy_mini", daemon.address)
    assert sorted(channel.servo for channel in describe(rig).channels) == list(range(10, 19))
    assert sum(len(part.data.polygons) for part in rig.children if part.type == "MESH") > 50_000
    chain = rig.limber.chains[rig.limber.active_chain]
    assert (len(chain.postures), chain.target is not None) == (3, True)
    assert rig.limber.mechanism.closures_file


def test_another_robot_comes_by_its_file_alone(daemon):
    daemon.urdf = with_mesh("package://assets/hand.stl")
    assert from_robot(daemon.address) == {"FINISHED"}
    rig = bpy.context.active_object
    assert (rig.limber.device.protocol, rig.limber.device.port) == ("reachy_mini", daemon.address)
    assert daemon.asked == ["/api/kinematics/urdf", "/api/kinematics/stl/hand.stl"]
    assert sum(len(part.data.polygons) for part in rig.children if part.type == "MESH") >= 1


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            lambda daemon: setattr(daemon, "urdf", with_mesh("package://../../secret.stl")),
            "that Limber does not fetch",
        ),
        (lambda daemon: setattr(daemon, "urdf", with_mesh("hand.py")), "that Limber does not fetch"),
        (
            lambda daemon: setattr(daemon, "urdf", ANGLE_BRACKET),
            "names a mesh '/etc/passwd' that Limber does not fetch",
        ),
        (
            lambda daemon: setattr(daemon, "urdf", with_mesh("&#47;etc&#47;passwd")),
            "names a mesh '/etc/passwd'",
        ),
        (
            lambda daemon: setattr(
                daemon, "urdf", ARM.replace("<link", '<xacro:include filename="/etc/passwd"/><link', 1)
            ),
            "no plain URDF",
        ),
        (lambda daemon: setattr(daemon, "urdf", "<mujoco><!-- <robot> --></mujoco>"), "gives no plain URDF"),
        (lambda daemon: setattr(daemon, "urdf", 3), "gives no URDF"),
        (lambda daemon: setattr(daemon, "urdf", ARM + "\ud800"), "gives no URDF"),
        (lambda daemon: setattr(daemon, "answer", b"[" * 100_000), "gives no model of a robot"),
        (lambda daemon: setattr(daemon, "answer", b"\xff\xfe"), "gives no model of a robot"),
        (lambda daemon: setattr(daemon, "urdf", "<robot><link/></robot>"), "Nothing was imported"),
        (
            lambda daemon: (
                setattr(daemon, "urdf", with_mesh("a.stl")),
                setattr(daemon, "mesh", lambda name: None),
            ),
            "does not give a.stl",
        ),
        (
            lambda daemon: setattr(daemon, "sends_on_to", "http://127.0.0.1:9"),
            "sends Limber on to http://127.0.0.1:9, which",
        ),
        (
            lambda daemon: setattr(daemon, "sends_on_to", f"https://{daemon.address}"),
            "sends Limber on to https",
        ),
        (lambda daemon: setattr(daemon, "address", "127.0.0.1:1"), "does not answer"),
        (lambda daemon: setattr(daemon, "address", "http://robot"), "is no address of a robot"),
    ],
)
def test_what_cannot_be_imported_is_told_and_leaves_nothing(daemon, change, words):
    change(daemon)
    before = {
        kind: len(getattr(bpy.data, kind)) for kind in ("objects", "armatures", "meshes", "collections")
    }
    with pytest.raises(RuntimeError, match=words):
        from_robot(daemon.address)
    assert {kind: len(getattr(bpy.data, kind)) for kind in before} == before


def test_a_redirect_to_the_same_host_is_followed(daemon):
    daemon.sends_on_to = f"http://{daemon.address}/other"
    daemon.urdf = with_mesh("hand.stl")
    assert from_robot(daemon.address) == {"FINISHED"}


@pytest.mark.every_blender
def test_other_computers_are_asked_only_where_blender_may_go_online(monkeypatch):
    if bpy.app.online_access:
        pytest.skip("this Blender may go online")
    asked = []
    monkeypatch.setattr(socket, "create_connection", lambda *_: asked.append(_))
    for address in ("192.0.2.1", "192.0.2.1:9", "robot.invalid", "[2001:db8::1]:8000"):
        with pytest.raises(
            RuntimeError, match=r"is another computer, and Blender may not go online.*Allow Online Access"
        ):
            from_robot(address)
    bpy.ops.limber.add_robot(robot="reachy_mini")
    rig = bpy.context.active_object
    rig.limber.device.port = "192.0.2.1:8000"
    with pytest.raises(
        RuntimeError, match=r"192\.0\.2\.1:8000 is another computer, and Blender may not go online"
    ):
        bpy.ops.limber.connect()
    assert not asked


def test_it_says_what_it_fetches_and_can_be_cancelled(daemon, monkeypatch):
    from limber.operators.authoring.import_from_robot import LIMBER_OT_import_from_robot

    goes_on = threading.Event()
    daemon.urdf, daemon.mesh = with_mesh("hand.stl"), lambda name: goes_on.wait(30.0) and MESH
    window = step_by_step(monkeypatch, LIMBER_OT_import_from_robot, address=daemon.address)
    window.start()
    while window.work.done < 1:
        assert window.send("TIMER") == {"RUNNING_MODAL"}
    folder = window.work._download.model.parent
    assert window._says() == "Fetching hand.stl, 1 of 2 files"
    assert window.send("ESC") == {"CANCELLED"}
    assert window.reports == [("WARNING", "The import is cancelled: nothing was imported")]
    goes_on.set()
    window.work._download._thread.join()
    assert not folder.exists()
    assert not bpy.data.armatures


@pytest.mark.parametrize("is_known", [True, False], ids=["in the gallery", "another"])
def test_a_window_reads_what_came_in_a_process_of_its_own(daemon, monkeypatch, is_known):
    from limber.operators.authoring.import_from_robot import LIMBER_OT_import_from_robot
    from limber.robots import robot_files
    from limber.robots.gallery import full_model

    if is_known:
        if not REACHY.exists():
            pytest.skip(f"no folder {REACHY}")
        daemon.urdf = (REACHY / "robot.urdf").read_text()

    def refuse(*_, **__):
        raise AssertionError("read in Blender's own process")

    monkeypatch.setattr(robot_files, "read", refuse)
    monkeypatch.setattr(full_model, "read", refuse)
    window = step_by_step(monkeypatch, LIMBER_OT_import_from_robot, address=daemon.address)
    window.start()
    told = []
    while (answer := window.send("TIMER")) == {"RUNNING_MODAL"}:
        told.append(window._says())
    assert answer == {"FINISHED"}, window.reports
    assert "Making bones" in told
    assert bpy.context.active_object.limber.device.port == daemon.address
