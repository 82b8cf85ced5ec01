"""Signing in, devices and accounts."""

from __future__ import annotations

TEXTS: dict[str, tuple[str, str]] = {
    "sign_in": ("本部端末の登録", "Sign in"),
    "setup_code": ("起動時に表示されたコード", "Setup code shown when the head started"),
    "code_once": (
        "コードは1回だけ使えます。別の端末には、登録済みの端末で新しいコードを発行してください。",
        "A code works once. For another device, ask a signed-in device for a new code.",
    ),
    "sign_out": ("登録を解除", "Sign out"),
    "new_code": ("別の端末用のコードを発行", "New code for another device"),
    "code_is": ("別の端末用のコード", "Code for another device"),
}
