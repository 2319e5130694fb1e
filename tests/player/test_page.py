"""Tests the page in a real browser, with a player in a separate process and the virtual robot."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
from limber.character.behaviour.data import Behaviour, ChainRole, StateSpec, TransitionSpec
from limber.character.file.writing import write

pytest.importorskip("websockets", reason="the websockets library is not installed: make setup")

from tests.player import browser
from tests.player.browser import Browser, browsing
from tests.player.test_live import Playing, playing, with_robot

pytestmark = pytest.mark.skipif(browser.program() is None, reason="no Chromium here: apt install chromium")


def button(text: str) -> str:
    """JavaScript expression of the button with a text."""
    return f"[...document.querySelectorAll('button')].find(b => b.textContent === {text!r})"


SENTENCE = "document.querySelector('#robots p').textContent"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    character = with_robot()
    behaviour = Behaviour(
        (StateSpec("Idle"), StateSpec("Sad")), (TransitionSpec("Idle", "Sad", "event", "rain"),)
    )
    write(tmp_path / "sample.limber", replace(character, behaviour=behaviour))
    return tmp_path / "sample.limber"


def opened(player: Playing, tab: Browser) -> str:
    """Opens the page of a player; returns its address."""
    player.until("Page: ")
    address = re.search(r"Page: (\S+)", player.text)[1]
    tab.open(address)
    tab.until("!document.body.classList.contains('lost') && document.querySelector('#robots p')")
    return address


def test_a_person_arms_and_directs_on_the_page_and_stop_wins(path: Path, tmp_path: Path):
    with playing(path, "--page", "0", "--status") as player, browsing(tmp_path / "browser") as tab:
        opened(player, tab)
        tab.until(f"{SENTENCE}.startsWith('Disarmed: press Arm')")
        assert tab.value("document.querySelector('button').textContent") == "STOP"
        tab.click(button("rain"))
        tab.until(f"{button('Sad')}.classList.contains('on')")
        tab.until("document.querySelector('#decisions').textContent.includes('Idle → Sad (event rain)')")
        tab.click(button("Proud"))
        tab.until(f"{button('Proud')}.classList.contains('on')")
        tab.click(button("Arm"))
        player.until("Armed: the robot follows")
        tab.until(f"{SENTENCE} === 'Armed: the robot follows'")
        tab.click("document.querySelector('#stop')")
        player.until("Stopped: make sure that all is safe, press Clear Fault, then Arm")
        tab.until(f"{button('Arm')}.disabled")
        tab.click(button("Clear Fault"))
        player.until("Disarmed: press Arm")
        tab.click(button("Arm"))
        player.until("Armed: the robot follows")
        tab.press("Escape")
        player.until("Stopped: make sure")


def test_a_robot_goes_limp_after_a_second_press_on_another_button(path: Path, tmp_path: Path):
    with playing(path, "--page", "0", "--status") as player, browsing(tmp_path / "browser") as tab:
        opened(player, tab)
        tab.until(f"{SENTENCE}.startsWith('Disarmed: press Arm')")
        tab.click(button("Release All"))
        tab.until("document.querySelector('#robots').textContent.includes('hold what would fall')")
        tab.click(button("Cancel"))
        tab.until(f"!{button('Release')}")
        player.until("ticks a second")
        assert "Limp" not in player.text
        tab.click(button("Release All"))
        tab.click(button("Release"))
        player.until("Limp: move the robot by hand; press Disarm when done")
        tab.until(f"!{button('Release')} && {button('Release All')}.disabled && {button('Arm')}.disabled")
        tab.click(button("Disarm"))
        player.until("Disarmed: press Arm")


def test_a_slider_sets_what_it_shows(path: Path, tmp_path: Path):
    with playing(path, "--page", "0", "--no-robot") as player, browsing(tmp_path / "browser") as tab:
        opened(player, tab)
        tab.until("document.querySelector('[aria-label=Glow]')")
        tab.value(
            "(i => { i.value = 0.25; i.dispatchEvent(new Event('input')); })(document.querySelector('[aria-label=Glow]'))"
        )
        tab.until("state.values[0].value === 0.25")
        tab.value(
            "(i => { i.value = 0.5; i.dispatchEvent(new Event('input')); })(document.querySelector('[aria-label=Glow]'))"
        )
        tab.until("state.values[0].value === 0.5")
        tab.until("state.decisions.length === 1 && state.decisions[0].includes('value Glow 0.5')")


def test_an_influence_stays_where_it_was_set_until_the_next_state_and_the_page_says_so(tmp_path: Path):
    states = (StateSpec("Idle", everyone=ChainRole(influence=0.25), seconds=0.1), StateSpec("Sad"))
    write(tmp_path / "sample.limber", replace(with_robot(), behaviour=Behaviour(states)))
    slider = "document.querySelector('[aria-label=Influence]')"
    by = f"{slider}.parentElement.querySelector('small').textContent"
    with (
        playing(tmp_path / "sample.limber", "--page", "0", "--no-robot") as player,
        browsing(tmp_path / "browser") as tab,
    ):
        opened(player, tab)
        tab.until(f"{by} === 'by Idle' && +{slider}.value === 0.25")
        tab.value(f"(i => {{ i.value = 0.75; i.dispatchEvent(new Event('input')); }})({slider})")
        tab.until(f"{by} === 'set here' && state.chains[0].influence === 0.75")
        assert tab.value(f"+{slider}.value") == 0.75
        tab.click(button("Sad"))
        tab.until(f"{by} === ''")
        tab.click(button("Idle"))
        tab.until(f"{by} === 'by Idle' && state.chains[0].influence < 0.26")


def test_a_person_who_is_pressed_seen_is_noticed_and_gone_when_the_page_says_so(tmp_path: Path):
    ways = (TransitionSpec("Idle", "Attending", "seen"), TransitionSpec("Attending", "Searching", "lost"))
    states = (StateSpec("Idle"), StateSpec("Attending"), StateSpec("Searching"))
    write(tmp_path / "sample.limber", replace(with_robot(), behaviour=Behaviour(states, ways)))
    with (
        playing(tmp_path / "sample.limber", "--page", "0", "--no-robot") as player,
        browsing(tmp_path / "browser") as tab,
    ):
        opened(player, tab)
        camera = "document.querySelector('[aria-label^=Camera]')"
        assert tab.value(f"[...{camera}.options].map(o => o.value)") == ["", "Ball", "Lamp/Shade"]
        tab.value(f"(c => {{ c.value = 'Ball'; c.dispatchEvent(new Event('change')); }})({camera})")
        tab.value(f"(y => y.scrollIntoView())({button('Seen')})")
        tab.click(button("Seen"))
        tab.until("state.state === 'Attending'")
        place = tab.value("state.chains[0].position")
        right = "document.querySelector('[aria-label=\\'To the Right\\']')"
        tab.value(f"(i => {{ i.value = 0.5; i.dispatchEvent(new Event('input')); }})({right})")
        tab.until(f"Math.abs(state.chains[0].position[0] - {place[0]}) > 0.4")
        tab.click(button("Gone"))
        tab.until("state.state === 'Searching'")
        assert tab.value("state.decisions").count("seen") == 0
        assert len(tab.value("state.decisions")) == 2, "what is perceived is no decision"


def test_a_script_of_another_page_presses_nothing(path: Path, tmp_path: Path):
    with playing(path, "--page", "0") as player, browsing(tmp_path / "browser") as tab:
        address = opened(player, tab)
        tab.until(f"{SENTENCE}.startsWith('Disarmed: press Arm')")
        tab.value(f"{button('Arm')}.click()")
        foreign = tmp_path / "foreign.html"
        foreign.write_text(
            f"""<script>
            window.ended = 0;
            const socket = new WebSocket("{address.replace("http", "ws").replace("/?", "/directing?")}");
            socket.onopen = () => socket.send('{{"word": "arm", "names": "", "press": 1}}');
            socket.onclose = () => {{ window.ended += 1; }};
            fetch("{address}", {{mode: "no-cors"}}).catch(() => {{ window.ended += 1; }});
            </script>"""
        )
        tab.open(foreign.as_uri())
        tab.until("window.ended === 2")
        tab.open(address)
        tab.until("document.querySelector('#robots p')")
        assert "Arming" not in tab.until(SENTENCE)


def test_the_page_says_when_it_has_lost_the_player(path: Path, tmp_path: Path):
    with playing(path, "--page", "0") as player, browsing(tmp_path / "browser") as tab:
        opened(player, tab)
        player.process.kill()
        tab.until("document.querySelector('#link').textContent.includes('Stop does not reach the robot')")


def test_it_fits_a_phone(path: Path, tmp_path: Path):
    with playing(path, "--page", "0") as player, browsing(tmp_path / "browser") as tab:
        tab.resize(360, 740, is_phone=True)
        opened(player, tab)
        assert tab.value("document.documentElement.scrollWidth <= innerWidth"), "nothing is cut off"
        assert tab.value("document.querySelector('#stop').getBoundingClientRect().height") >= 80
        small = "[...document.querySelectorAll('button')].filter(b => b.getBoundingClientRect().height < 43).length"
        assert tab.value(small) == 0, "a thumb meets every button"
