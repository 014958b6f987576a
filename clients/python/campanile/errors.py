"""What the service says when it says no."""

from __future__ import annotations

import json
from typing import Any, Mapping, TypedDict, cast


class Problem(TypedDict):
    """One thing wrong with one field; `field` is a dotted path in the body."""

    field: str
    issue: str


class CampanileError(Exception):
    """The service said no, or could not be reached. `str(error)` is one plain sentence."""

    def __init__(
        self,
        message: str,
        *,
        code: int = 0,
        error_code: str | None = None,
        details: list[Problem] | None = None,
        request_id: str | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message)
        #: The HTTP status; 0 when there was no answer.
        self.code = code
        #: What failed, for programs: "group_not_found". None when there was no answer of the service.
        self.error_code = error_code
        self.details: list[Problem] = details or []
        #: Leads to what the service has logged.
        self.request_id = request_id
        #: Seconds after which the service asked to try again.
        self.retry_after = retry_after


def failure_of(status: int, headers: Mapping[str, str], text: str) -> CampanileError:
    """What an answer that is no success says. A proxy's page says nothing but its status."""
    try:
        read: Any = json.loads(text)
    except ValueError:
        read = None
    body = cast("dict[str, Any]", read) if isinstance(read, dict) else {}
    waits = headers.get("retry-after") or ""
    return CampanileError(
        str(body.get("message", f"The service answered {status}")),
        code=status,
        error_code=body.get("error_code"),
        details=body.get("details"),
        request_id=body.get("request_id", headers.get("x-request-id")),
        retry_after=float(waits) if waits.isdigit() else None,
    )
