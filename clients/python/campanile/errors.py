"""The errors of the client."""

from __future__ import annotations

import json
from typing import Any, Mapping, TypedDict, cast


class FieldError(TypedDict, total=False):
    """The error of one field of a request. `field` is a dotted path in the body: `group_metadata_ids.3`."""

    field: str
    issue: str
    #: A stable code of the issue, such as `end_before_start`.
    code: str
    #: The figures and names of the issue, such as `limit`.
    params: dict[str, str | int | float]


class CampanileError(Exception):
    """The service rejected a request, or could not be reached. `str(error)` is `message`."""

    def __init__(
        self,
        message: str,
        *,
        status: int = 0,
        error_code: str | None = None,
        details: list[FieldError] | None = None,
        more_details: int = 0,
        request_id: str | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message)
        #: One plain sentence for people.
        self.message = message
        #: The HTTP status; 0 without an answer.
        self.status = status
        #: Machine-readable code, such as "group_not_found". None without an answer, or when a proxy answered.
        self.error_code = error_code
        #: The invalid fields of the request. May be empty.
        self.details: list[FieldError] = details or []
        #: Number of further problems that the service found and left out.
        self.more_details = more_details
        #: Identifies the request in the service's log. None without an answer, or when a proxy answered.
        self.request_id = request_id
        #: Seconds after which the service asked to try again.
        self.retry_after = retry_after


def error_of(status: int, headers: Mapping[str, str], text: str) -> CampanileError:
    """Returns the error of an answer that is no success. The page of a proxy contributes only its status."""
    try:
        parsed: Any = json.loads(text)
    except ValueError:
        parsed = None
    body = cast("dict[str, Any]", parsed) if isinstance(parsed, dict) else {}
    retry_after = headers.get("retry-after") or ""
    return CampanileError(
        str(body.get("message", f"The service answered {status}")),
        status=status,
        error_code=body.get("error_code"),
        details=body.get("details"),
        more_details=body.get("more_details", 0),
        request_id=body.get("request_id", headers.get("x-request-id")),
        retry_after=float(retry_after) if retry_after.isdecimal() else None,
    )
