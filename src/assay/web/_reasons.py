from __future__ import annotations

from assay.errors import Reason

UNAUTHORIZED = Reason(
    "unauthorized", "no valid token was given", "send it as the header Authorization: Bearer TOKEN"
)
FOREIGN_HOST = Reason(
    "foreign_host", "the request names a host that this server does not serve", "use the loopback address"
)
FOREIGN_ORIGIN = Reason(
    "foreign_origin", "a page of another site may not use this server", "send the request without a browser"
)
BODY_TOO_LARGE = Reason("body_too_large", "the body is larger than the limit", "send less")
BODY_TOO_SLOW = Reason("body_too_slow", "the body did not come within the limit", "send it at once")
TOO_MANY_REQUESTS = Reason(
    "too_many_requests", "this token has sent too many requests", "wait as Retry-After says"
)
BUSY = Reason("busy", "as many requests as may wait are waiting", "wait as Retry-After says")
