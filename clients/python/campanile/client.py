"""The client: one object, a method for each of the seven operations, and `call` for all others."""

from __future__ import annotations

import http.client
import json
import random
import secrets
import time
import urllib.error
import urllib.request
from typing import Any, Iterator, Sequence, cast

from .errors import CampanileError, failure_of
from .events import Event, parse_events
from .idempotency import ALWAYS, KEYED
from .shapes import AddedCampaign, CreatedChannel, CreatedCommunity, SignedIn, UserInfo

_FIRST_WAIT = 0.5
_SILENCE = 45.0
_LONGEST_PAUSE = 30.0


class Campanile:
    """The service at `url` as whoever `token` (a token or an API key) belongs to. Everything raises a CampanileError.

    A 429, and where repeating does nothing twice also a 503 or no answer at all, is tried again when the service says so: `tries`
    times in all, unless it asks to wait for more than `longest_wait` seconds.
    """

    def __init__(
        self,
        url: str,
        token: str | None = None,
        *,
        tries: int = 4,
        longest_wait: float = 30.0,
        timeout: float = 120.0,
    ) -> None:
        self._base = url.rstrip("/") + "/api/v1/"
        self._token = token
        self._tries = tries
        self._longest_wait = longest_wait
        self._timeout = timeout

    def with_token(self, token: str | None) -> Campanile:
        """The same service as somebody else."""
        options = {"tries": self._tries, "longest_wait": self._longest_wait, "timeout": self._timeout}
        return Campanile(self._base.removesuffix("/api/v1/"), token, **cast(Any, options))

    def create_user(
        self,
        *,
        first_name: str,
        last_name: str,
        user_name: str,
        email: str,
        phone_number: str,
        whatsapp_number: str,
        password: str,
    ) -> UserInfo:
        """Signs up a new user."""
        body = {key: value for key, value in locals().items() if key != "self"}
        return cast(UserInfo, self.call("user/create_user", body)["user_info"])

    def authorize_user(self, user_name: str, password: str, code: str | None = None) -> SignedIn:
        """Exchanges name and password for a token; `code` is that of a second factor, where there is one."""
        return cast(SignedIn, self.call("user/authorize_user", {"user_name": user_name, "password": password, "code": code}))

    def add_campaign(
        self,
        *,
        name: str,
        html: str,
        group_metadata_ids: Sequence[int],
        desc: str = "",
        image: str | None = None,
        is_channel_campaign: bool = False,
        idempotency_key: str | None = None,
    ) -> AddedCampaign:
        """Sends a campaign to groups now. `image` is a file in base64."""
        body = _post(name, html, group_metadata_ids, desc, image, is_channel_campaign)
        return cast(AddedCampaign, self.call("venom/add-campaign", {**body, "is_schedule": False}, idempotency_key))

    def add_campaign_batch(
        self,
        *,
        name: str,
        html: str,
        group_metadata_ids: Sequence[int],
        start_date: str,
        end_date: str,
        schedule_time: str,
        time_zone: str | None = None,
        weekdays: Sequence[int] | None = None,
        skip_dates: Sequence[str] | None = None,
        desc: str = "",
        image: str | None = None,
        is_channel_campaign: bool = False,
        idempotency_key: str | None = None,
    ) -> str:
        """Schedules a campaign, once on each date (`YYYY-MM-DD`) at `schedule_time` (`HH:MM:SS`); answers its campaign_id."""
        schedule = {
            "is_schedule": True,
            "start_date": start_date,
            "end_date": end_date,
            "schedule_time": schedule_time,
            "time_zone": time_zone,
            "weekdays": None if weekdays is None else list(weekdays),
            "skip_dates": None if skip_dates is None else list(skip_dates),
        }
        body = {**_post(name, html, group_metadata_ids, desc, image, is_channel_campaign), **schedule}
        _, headers = self.ask("venom/add-campaign-batch", body, idempotency_key)
        return headers["x-campaign-id"]

    def create_channel(
        self, name: str, description: str = "", image: str | None = None, idempotency_key: str | None = None
    ) -> CreatedChannel:
        """Creates a channel. `image` is a data URL: `data:image/png;base64,…`"""
        body = {"name": name, "description": description, "image": image}
        return cast(CreatedChannel, self.call("venom/create-channel", body, idempotency_key))

    def create_community(
        self, community_name: str, description: str = "", idempotency_key: str | None = None
    ) -> CreatedCommunity:
        """Creates a community; campaigns can go to its group_metadata_id."""
        body = {"community_name": community_name, "description": description}
        return cast(CreatedCommunity, self.call("venom/create-community", body, idempotency_key))

    def get_campaign_group_analytics_master(self, campaign_id: str) -> dict[str, Any]:
        """What became of a campaign, in all and by group."""
        return cast("dict[str, Any]", self.call("analytics/get-campaign-group-analytics-master", {"campaign_id": campaign_id}))

    def call(self, path: str, body: dict[str, Any] | None = None, idempotency_key: str | None = None) -> Any:
        """Any operation by its path without `/api/v1/`: `call("venom/list-groups", {"limit": 10})`. Answers its `data`."""
        return self.ask(path, body, idempotency_key)[0]

    def ask(
        self, path: str, body: dict[str, Any] | None = None, idempotency_key: str | None = None
    ) -> tuple[Any, dict[str, str]]:
        """The same, with the headers of the answer, whose names are in lower case."""
        headers = {"content-type": "application/json", **self._authorization()}
        if path in KEYED:
            headers["idempotency-key"] = idempotency_key or secrets.token_hex(18)
        request = urllib.request.Request(self._base + path, json.dumps(body or {}).encode(), headers, method="POST")
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
        """What happens, while it happens, for as long as it is iterated; it connects anew by itself, and goes on where it was."""
        failures = 0
        while True:
            try:
                for event in self._listen(last_event_id):
                    failures = 0
                    last_event_id = event.id or last_event_id
                    if event.event:
                        yield event
            except CampanileError as error:
                if 400 <= error.code < 500 and error.code not in (408, 429):
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
            # The service speaks every 15 s, so longer silence is a dead connection.
            with urllib.request.urlopen(request, timeout=_SILENCE) as response:
                yield from parse_events(response)
        except urllib.error.HTTPError as error:
            raise _failure(error) from None
        except (OSError, http.client.HTTPException) as error:
            raise CampanileError("The service cannot be reached") from error
        raise CampanileError("The stream has ended")

    def _attempt(self, request: urllib.request.Request) -> tuple[Any, dict[str, str]]:
        try:
            with urllib.request.urlopen(request, timeout=self._timeout) as response:
                headers = {name.lower(): value for name, value in response.headers.items()}
                content: bytes = response.read()
        except urllib.error.HTTPError as error:
            raise _failure(error) from None
        except (OSError, http.client.HTTPException) as error:
            raise CampanileError("The service cannot be reached") from error
        kind = headers.get("content-type", "")
        if kind.startswith("application/json"):
            return json.loads(content)["data"], headers
        return (content.decode() if kind.startswith("text/") else content), headers

    def _authorization(self) -> dict[str, str]:
        return {} if self._token is None else {"authorization": f"Bearer {self._token}"}


def _post(
    name: str, html: str, group_metadata_ids: Sequence[int], desc: str, image: str | None, is_channel_campaign: bool
) -> dict[str, Any]:
    return {
        "name": name,
        "desc": desc,
        "html": html,
        "image": image,
        "group_metadata_ids": list(group_metadata_ids),
        "is_channel_campaign": is_channel_campaign,
    }


def _failure(error: urllib.error.HTTPError) -> CampanileError:
    headers = {name.lower(): value for name, value in error.headers.items()}
    return failure_of(error.code, headers, error.read().decode("utf-8", "replace"))


def _may_repeat(path: str, error: CampanileError) -> bool:
    """A 429 has done nothing. A 503 or silence may have."""
    if error.code == 429:
        return True
    return error.code in (0, 503) and (path in ALWAYS or path in KEYED)
