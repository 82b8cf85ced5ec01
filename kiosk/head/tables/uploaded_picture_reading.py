"""Processing of an uploaded picture, only in a child process (``kiosk.sandbox``), because OpenCV decodes it.

Imports little, so that the head can refer to these functions without loading OpenCV.
"""

from __future__ import annotations

from typing import Any

#: most pixels of a picture: enough for a phone's
MOST_PIXELS = 24_000_000
#: pixels of a square's side in a stored photograph
SIDE = 48
#: pixels of the longer side of a picture for papers: 30 mm at 600 dpi
PAPER_SIDE = 700
#: pixels of the longer side of a picture in which corners are marked
SCENE_SIDE = 1600

#: result for a photograph
Reading = tuple[
    bytes,  # the whole picture, reduced, as a JPEG
    bytes,  # the board alone, as a JPEG; empty if none is recognised
    str,  # its squares
    list[list[float]],  # its corners, as fractions of the picture's sides
    tuple[str, dict[str, Any]] | None,  # why none is recognised: a message's template and its fields
]


def read_photograph(content: bytes) -> Reading:
    """Read the board in a photograph.

    :raises PictureError: it is no picture, or too large.
    """
    from hardware.camera.board_reader import Refusal, read_board_picture
    from hardware.camera.picture_decoding_and_overlays import decode_picture, downscale, encode_jpeg, rectify_field

    image = decode_picture(content, "photograph", MOST_PIXELS)
    seen, scene = read_board_picture(image), encode_jpeg(downscale(image, SCENE_SIDE))
    if isinstance(seen, Refusal):
        return scene, b"", "", [], (seen.text.template, dict(seen.text.fields))
    corners = (seen.corners / image.shape[1::-1]).tolist()
    return scene, encode_jpeg(rectify_field(image, seen.corners, SIDE)), seen.cells, corners, None


def paper_picture(content: bytes) -> bytes:
    """Return a picture for papers, reduced, as a JPEG.

    :raises PictureError: it is no picture, or too large.
    """
    from hardware.camera.picture_decoding_and_overlays import decode_picture, downscale, encode_jpeg

    return encode_jpeg(downscale(decode_picture(content, "picture", MOST_PIXELS), PAPER_SIDE))
