"""The password again, before something that matters: what was typed goes along and is not lost."""

from __future__ import annotations

from starlette.responses import Response

from kiosk.head.errors import Forbidden, TooMany
from kiosk.head.pages.visit import Visit


def password_again(visit: Visit, path: str, back: str) -> Response | None:
    """The page that asks for the password; None if it was given a short time ago, or now."""
    access, session = visit.parts.access, visit.session
    assert session is not None
    if access.gave_password(session):
        return None
    refused: Forbidden | TooMany | None = None
    if visit.form["password"]:
        try:
            access.give_password(session, visit.form["password"])
            return None
        except (Forbidden, TooMany) as error:
            refused = error
    kept = {name: value for name, value in visit.form.items() if name not in ("csrf", "password")}
    status = 200 if refused is None else refused.status
    return visit.show("accounts/again.html", status, title="again", path=path, kept=kept, refused=refused, back=back)
