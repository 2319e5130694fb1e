"""Version of the installed player."""


def player_version() -> str:
    """Version of the installed wheel; "from its sources" if no wheel is installed."""
    from importlib import metadata  # loading it would take a tenth of the time until the player plays

    try:
        return metadata.version("limber")
    except metadata.PackageNotFoundError:
        return "from its sources"
