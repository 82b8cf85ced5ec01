"""Probe of the OpenGL ES renderer on a display without a desktop, queried as SDL does.

    python -m kiosk.doctor.opengl_probe /dev/dri/card1

Prints the renderer's name. It runs in its own process, because a broken driver can crash it. A running table is not
disturbed: the display itself is not opened.
"""

from __future__ import annotations

import ctypes
import os
import sys
from typing import Any

_PLATFORM_GBM, _PLATFORM_SURFACELESS = 0x31D7, 0x31DD
_OPENGL_ES = 0x30A0
_NONE = 0x3038
_CONFIG = (0x3040, 0x4, 0x3033, 0, _NONE)  # for OpenGL ES 2; any surface type
_CONTEXT = (0x3098, 2, _NONE)  # version 2
_RENDERER = 0x1F01


class NoRendererError(Exception):
    """Error for a failed step of the probe."""


def renderer(card: str | None) -> str:
    """Return the name of the renderer on ``card``; None: without a display.

    :raises NoRendererError: there is none.
    """
    egl, gles = _library("libEGL.so.1"), _library("libGLESv2.so.2")
    for function in ("eglGetPlatformDisplay", "eglCreateContext"):
        getattr(egl, function).restype = ctypes.c_void_p
    gles.glGetString.restype = ctypes.c_char_p
    if card is None:
        display = egl.eglGetPlatformDisplay(_PLATFORM_SURFACELESS, None, None)
    else:
        gbm = _library("libgbm.so.1")
        gbm.gbm_create_device.restype = ctypes.c_void_p
        try:
            device = gbm.gbm_create_device(os.open(card, os.O_RDWR))
        except OSError as error:
            raise NoRendererError(f"{card}: {error.strerror}") from error
        display = _require(device, "gbm_create_device") and egl.eglGetPlatformDisplay(
            _PLATFORM_GBM, ctypes.c_void_p(device), None
        )
    display = ctypes.c_void_p(_require(display, "eglGetPlatformDisplay"))
    config, found = ctypes.c_void_p(), ctypes.c_int()
    _require(egl.eglInitialize(display, None, None), "eglInitialize")
    _require(egl.eglBindAPI(_OPENGL_ES), "eglBindAPI")
    wanted = (ctypes.c_int * len(_CONFIG))(*_CONFIG)
    _require(egl.eglChooseConfig(display, wanted, ctypes.byref(config), 1, ctypes.byref(found)), "eglChooseConfig")
    _require(found.value, "eglChooseConfig")
    version = (ctypes.c_int * len(_CONTEXT))(*_CONTEXT)
    context = ctypes.c_void_p(_require(egl.eglCreateContext(display, config, None, version), "eglCreateContext"))
    _require(egl.eglMakeCurrent(display, None, None, context), "eglMakeCurrent")
    name: bytes = _require(gles.glGetString(_RENDERER), "glGetString")
    return name.decode(errors="replace")


def _library(name: str) -> ctypes.CDLL:
    try:
        return ctypes.CDLL(name)
    except OSError as error:
        raise NoRendererError(name) from error


def _require(value: Any, step: str) -> Any:
    if not value:
        raise NoRendererError(step)
    return value


if __name__ == "__main__":
    try:
        sys.stdout.write(f"{renderer(sys.argv[1] if len(sys.argv) > 1 else None)}\n")
    except NoRendererError as error:
        sys.exit(str(error))
