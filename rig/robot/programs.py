"""Consent to run users' own programs on this computer, stored in the user's Blender folder."""

from pathlib import Path

from ...hardware.protocols.program_consents import ProgramConsents
from ..blender.user_folder import user_folder

FOLDER, FILE = "programs", "allowed.json"


def _list_path() -> Path | None:
    folder = user_folder(FOLDER)
    return folder / FILE if folder else None


consents = ProgramConsents(_list_path)
allowed, question, require, allow = consents.allowed, consents.question, consents.require, consents.allow
