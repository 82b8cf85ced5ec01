"""Texts about the faults of a table's camera: why it gives no picture, and why the board is not read.

The camera hangs over the table, so each text says what to do with the camera, the board or the light. The texts of
``hardware.camera`` are for a person who takes a photograph.
"""

from __future__ import annotations

from engine.i18n import Text, say
from hardware.camera.board_finder import SMALLEST, Reason
from hardware.camera.frames_and_camera_faults import CameraStatus

_STATUS = {
    CameraStatus.GONE: say("The camera {camera} gives no picture. Check its cable or network."),
    CameraStatus.DARK: say("The camera {camera} sees only darkness. Remove its lens cap or add light."),
    CameraStatus.FROZEN: say("The camera {camera} shows the same picture again and again. Unplug it and plug it in."),
    CameraStatus.SLOW: say("The camera {camera} gives too few pictures. Use another USB socket or more light."),
    CameraStatus.FAILED: say(
        "A picture of the camera {camera} could not be processed; the table tries again. If this continues, restart "
        "the table."
    ),
}
_REFUSED = {
    Reason.NO_BOARD: say(
        "The camera does not find the board. It must see the whole board with its lines, and nothing of the same "
        "colour beside it."
    ),
    Reason.CUT_OFF: say("The camera does not see the whole board. Move the board, or raise the camera."),
    Reason.HAND: say("Something covers the board. Take hands and things away."),
    Reason.DARK: say("The camera's picture is too dark. Make more light over the board."),
    Reason.BLURRED: say("The camera's picture is blurred. Turn the lens until the board's lines are sharp."),
    Reason.TOO_SMALL: say(
        "The board is too small in the camera's picture (squares below {pixels} pixels). Lower the camera or hang it "
        "steeper.",
        pixels=round(SMALLEST),
    ),
}
_TOO_BRIGHT = say("The camera's picture is too bright. Take light away, or lower the camera's exposure.")


def camera_trouble(status: CameraStatus, device: str) -> Text | None:
    """Return what is wrong with the camera of that name; None if nothing is."""
    text = _STATUS.get(status)
    return None if text is None else text(camera=device)


def board_trouble(refused: Reason | None, is_overexposed: bool) -> Text | None:
    """Return why the board is not read: why it is not found, or that it is too bright; None if it is read."""
    if is_overexposed:
        return _TOO_BRIGHT
    return None if refused is None else _REFUSED[refused]
