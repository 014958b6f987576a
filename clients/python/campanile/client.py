"""The client: a method for each of the seven operations of the specification, and `call` for all operations."""

from __future__ import annotations

import http.client
import json
import random
import secrets
import time
import urllib.error
import urllib.parse
import urllib.request
from typing import Any, BinaryIO, Iterator, Mapping, Unpack, cast, overload

from .errors import CampanileError, error_of
from .events import Event, parse_events
from .idempotency import ALWAYS, KEYED
from .shapes import (
    AddCampaign,
    AddCampaignBatch,
    AddedCampaign,
    Analytics,
    AuthorizeUser,
    CreateChannel,
    CreateCommunity,
    CreatedChannel,
    CreatedCommunity,
    CreatedUser,
    CreateUser,
    GetAnalytics,
    ScheduledCampaign,
    SignedIn,
)

_FIRST_WAIT = 0.5
_SILENCE = 45.0
_LONGEST_PAUSE = 30.0


class Campanile:
    """A client of the service at `url`, with a token or an API key. Its methods raise a CampanileError.

    `workspace` is the id of a workspace of the user, else the default one is meant. An API key acts in its own.

    It retries after a 429, and after a 503 or a lost connection where a retry has no second effect. It waits as long as the service
    asks, and sends a request at most `tries` times. It raises at once if the wait exceeds `longest_wait` seconds. `timeout` is in
    seconds, too.
    """

    def __init__(
        self,
        url: str,
        token: str | None = None,
        *,
        workspace: int | None = None,
        tries: int = 4,
        longest_wait: float = 30.0,
        timeout: float = 120.0,
    ) -> None:
        self._base = url.rstrip("/") + "/api/v1/"
        self._token = token
        self._workspace = workspace
        self._tries = tries
        self._longest_wait = longest_wait
        self._timeout = timeout

    def with_token(self, token: str | None) -> Campanile:
        """Returns a client of the same service with another token or API key, and for its default workspace."""
        return self._copy(token, None)

    def with_workspace(self, workspace: int | None) -> Campanile:
        """Returns a client of the same user for another workspace; None: the default one."""
        return self._copy(self._token, workspace)

    def _copy(self, token: str | None, workspace: int | None) -> Campanile:
        options = {"tries": self._tries, "longest_wait": self._longest_wait, "timeout": self._timeout}
        return Campanile(self._base.removesuffix("/api/v1/"), token, workspace=workspace, **cast(Any, options))

    @overload
    def create_user(self, body: CreateUser, /) -> CreatedUser: ...
    @overload
    def create_user(self, **fields: Unpack[CreateUser]) -> CreatedUser: ...
    def create_user(self, body: Any = None, /, **fields: Any) -> CreatedUser:
        """Signs up a new user. Takes the body of the operation, as a dict or as keywords."""
        return cast(CreatedUser, self.call("user/create_user", _merge(CreateUser, body, fields)))

    @overload
    def authorize_user(self, body: AuthorizeUser, /) -> SignedIn: ...
    @overload
    def authorize_user(self, **fields: Unpack[AuthorizeUser]) -> SignedIn: ...
    def authorize_user(self, body: Any = None, /, **fields: Any) -> SignedIn:
        """Exchanges user name and password for a token. Takes the body of the operation, as a dict or as keywords."""
        return cast(SignedIn, self.call("user/authorize_user", _merge(AuthorizeUser, body, fields)))

    @overload
    def add_campaign(self, body: AddCampaign, /, *, idempotency_key: str | None = None) -> AddedCampaign: ...
    @overload
    def add_campaign(self, *, idempotency_key: str | None = None, **fields: Unpack[AddCampaign]) -> AddedCampaign: ...
    def add_campaign(self, body: Any = None, /, *, idempotency_key: str | None = None, **fields: Any) -> AddedCampaign:
        """Sends a campaign to groups now. Takes the body of the operation, as a dict or as keywords."""
        merged = _merge(AddCampaign, body, fields)
        return cast(AddedCampaign, self.call("venom/add-campaign", merged, idempotency_key))

    @overload
    def add_campaign_batch(
        self, body: AddCampaignBatch, /, *, idempotency_key: str | None = None
    ) -> ScheduledCampaign: ...
    @overload
    def add_campaign_batch(
        self, *, idempotency_key: str | None = None, **fields: Unpack[AddCampaignBatch]
    ) -> ScheduledCampaign: ...
    def add_campaign_batch(
        self, body: Any = None, /, *, idempotency_key: str | None = None, **fields: Any
    ) -> ScheduledCampaign:
        """Schedules a campaign: one run on each date. Takes the body of the operation, as a dict or as keywords.

        The answer also has the `campaign_id`, which the service sends in a header.
        """
        merged = {"is_schedule": True, **_merge(AddCampaignBatch, body, fields)}
        data, headers = self.ask("venom/add-campaign-batch", merged, idempotency_key)
        return cast(ScheduledCampaign, {**data, "campaign_id": headers["x-campaign-id"]})

    @overload
    def create_channel(self, body: CreateChannel, /, *, idempotency_key: str | None = None) -> CreatedChannel: ...
    @overload
    def create_channel(
        self, *, idempotency_key: str | None = None, **fields: Unpack[CreateChannel]
    ) -> CreatedChannel: ...
    def create_channel(
        self, body: Any = None, /, *, idempotency_key: str | None = None, **fields: Any
    ) -> CreatedChannel:
        """Creates a channel. Takes the body of the operation, as a dict or as keywords."""
        merged = _merge(CreateChannel, body, fields)
        return cast(CreatedChannel, self.call("venom/create-channel", merged, idempotency_key))

    @overload
    def create_community(self, body: CreateCommunity, /, *, idempotency_key: str | None = None) -> CreatedCommunity: ...
    @overload
    def create_community(
        self, *, idempotency_key: str | None = None, **fields: Unpack[CreateCommunity]
    ) -> CreatedCommunity: ...
    def create_community(
        self, body: Any = None, /, *, idempotency_key: str | None = None, **fields: Any
    ) -> CreatedCommunity:
        """Creates a community. Takes the body of the operation, as a dict or as keywords."""
        merged = _merge(CreateCommunity, body, fields)
        return cast(CreatedCommunity, self.call("venom/create-community", merged, idempotency_key))

    @overload
    def get_campaign_group_analytics_master(self, body: GetAnalytics, /) -> Analytics: ...
    @overload
    def get_campaign_group_analytics_master(self, **fields: Unpack[GetAnalytics]) -> Analytics: ...
    def get_campaign_group_analytics_master(self, body: Any = None, /, **fields: Any) -> Analytics:
        """Returns the results of a campaign, in all and by group. Takes the body of the operation, as a dict or as keywords."""
        merged = _merge(GetAnalytics, body, fields)
        return cast(Analytics, self.call("analytics/get-campaign-group-analytics-master", merged))

    def call(self, path: str, body: dict[str, Any] | None = None, idempotency_key: str | None = None) -> Any:
        """Sends any operation, by its path without `/api/v1/`: `call("venom/list-groups", {"limit": 10})`. Returns its `data`."""
        return self.ask(path, body, idempotency_key)[0]

    def upload(
        self, file: bytes | BinaryIO, file_name: str | None = None, content_type: str = "application/octet-stream"
    ) -> Any:
        """Uploads a file, at most 64 MiB, and returns it with its `media_id`. Text files need their `content_type`."""
        content = file if isinstance(file, bytes) else file.read()
        headers = {"content-type": content_type, **self._authorization()}
        if file_name is not None:
            headers["x-file-name"] = urllib.parse.quote(file_name, safe="")
        request = urllib.request.Request(self._base + "media/upload", content, headers, method="POST")
        return self._send("media/upload", request)[0]

    def ask(
        self, path: str, body: dict[str, Any] | None = None, idempotency_key: str | None = None
    ) -> tuple[Any, dict[str, str]]:
        """Like `call`, but also returns the headers of the answer, with names in lower case."""
        headers = {"content-type": "application/json", **self._authorization()}
        if path in KEYED:
            headers["idempotency-key"] = idempotency_key or secrets.token_hex(18)
        request = urllib.request.Request(self._base + path, json.dumps(body or {}).encode(), headers, method="POST")
        return self._send(path, request)

    def _send(self, path: str, request: urllib.request.Request) -> tuple[Any, dict[str, str]]:
        for tried in range(1, self._tries + 1):
            try:
                return self._attempt(request)
            except CampanileError as error:
                wait = _FIRST_WAIT * 2 ** (tried - 1) if error.retry_after is None else error.retry_after
                if tried == self._tries or wait > self._longest_wait or not _may_repeat(path, error):
                    raise
                time.sleep(wait * (1 + random.random() / 4))
        raise AssertionError("tries must be 1 or more")

    def events(self, last_event_id: str | None = None) -> Iterator[Event]:
        """Yields live events until the iteration is left. Reconnects by itself, and resumes after the last event."""
        failures = 0
        while True:
            try:
                for event in self._listen(last_event_id):
                    failures = 0
                    last_event_id = event.id or last_event_id
                    if event.event:
                        yield event
            except CampanileError as error:
                if 400 <= error.status < 500 and error.status not in (408, 429):
                    raise
                failures += 1
                pause = error.retry_after or min(2.0 ** (failures - 1), _LONGEST_PAUSE)
                time.sleep(pause * (1 + random.random() / 4))

    def _listen(self, last_event_id: str | None) -> Iterator[Event]:
        headers = {"accept": "text/event-stream", **self._authorization()}
        if last_event_id is not None:
            headers["last-event-id"] = last_event_id
        request = urllib.request.Request(self._base + "events", headers=headers)
        try:
            # The service sends at least a comment every 15 s, so longer silence is a dead connection.
            with urllib.request.urlopen(request, timeout=_SILENCE) as response:
                yield from parse_events(response)
        except urllib.error.HTTPError as error:
            raise _error(error) from None
        except (OSError, http.client.HTTPException) as error:
            raise CampanileError("The service cannot be reached") from error
        raise CampanileError("The stream has ended")

    def _attempt(self, request: urllib.request.Request) -> tuple[Any, dict[str, str]]:
        try:
            with urllib.request.urlopen(request, timeout=self._timeout) as response:
                headers = {name.lower(): value for name, value in response.headers.items()}
                content: bytes = response.read()
        except urllib.error.HTTPError as error:
            raise _error(error) from None
        except (OSError, http.client.HTTPException) as error:
            raise CampanileError("The service cannot be reached") from error
        kind = headers.get("content-type", "")
        if kind.startswith("application/json"):
            return json.loads(content)["data"], headers
        return (content.decode() if kind.startswith("text/") else content), headers

    def _authorization(self) -> dict[str, str]:
        return {
            **({} if self._token is None else {"authorization": f"Bearer {self._token}"}),
            **({} if self._workspace is None else {"x-workspace": str(self._workspace)}),
        }


def _merge(shape: type, body: Mapping[str, Any] | None, fields: dict[str, Any]) -> dict[str, Any]:
    """Returns the body of a request. A dict is sent as it is; a keyword that is no field raises a TypeError."""
    unknown = fields.keys() - shape.__annotations__.keys()
    if unknown:
        raise TypeError(f"{shape.__name__} has no field {', '.join(sorted(unknown))}")
    return {**(body or {}), **fields}


def _error(error: urllib.error.HTTPError) -> CampanileError:
    headers = {name.lower(): value for name, value in error.headers.items()}
    return error_of(error.code, headers, error.read().decode("utf-8", "replace"))


def _may_repeat(path: str, error: CampanileError) -> bool:
    """A 429 had no effect. A 503 or a lost connection may have had one."""
    if error.status == 429:
        return True
    return error.status in (0, 503) and (path in ALWAYS or path in KEYED)
