"""Version of the installed player."""


def player_version() -> str:
    """The version of the wheel that is installed here; "from its sources" where there is none."""
    from importlib import metadata  # loading it would take a tenth of the time until the player plays

    try:
        return metadata.version("limber")
    except metadata.PackageNotFoundError:
        return "from its sources"
