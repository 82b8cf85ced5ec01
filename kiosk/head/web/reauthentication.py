"""Re-entry of the password before an important form: the typed fields are carried along, unless they are secret."""

from __future__ import annotations

from collections.abc import Callable

from starlette.responses import Response

from kiosk.head.errors import Forbidden, HeadError, RateLimited
from kiosk.head.web.request_context import RequestContext

#: a page whose form is never carried along; it asks for the password itself
OwnForm = Callable[[RequestContext, HeadError | None], Response]


def confirm_password(visit: RequestContext, path: str, back: str, own: OwnForm | None = None) -> Response | None:
    """Return the page that asks for the password; None if it was given recently, or with this form."""
    access, session = visit.head.access, visit.session
    assert session is not None
    if access.gave_password(session):
        return None
    refused: Forbidden | RateLimited | None = None
    if visit.form["password"]:
        try:
            access.give_password(session, visit.form["password"])
            return None
        except (Forbidden, RateLimited) as error:
            refused = error
    if own is not None:
        return own(visit, refused)
    kept = {name: value for name, value in visit.form.items() if name not in ("csrf", "password")}
    status = 200 if refused is None else refused.status
    return visit.show("common/again.html", status, title="again", path=path, kept=kept, refused=refused, back=back)
