"""Opens the Limber tab."""


def play(stage):
    stage.open_tab()
    yield 0.2
    stage.facts["tab"] = stage.region("UI").active_panel_category
