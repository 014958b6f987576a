"""Server-sent events, read line by line."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Iterable, Iterator


@dataclass(frozen=True)
class Event:
    """What has happened. `id` goes into `Campanile.events(last_event_id=…)`; None where the service gives none."""

    event: str
    data: Any
    id: str | None


def parse_events(lines: Iterable[bytes]) -> Iterator[Event]:
    """The events of a stream, as the standard reads it; an event that is cut off is none.

    One that only moves the id on has an empty name and no data.
    """
    name = "message"
    data: list[str] = []
    last_id: str | None = None
    told_id: str | None = None
    for raw in lines:
        if not raw.endswith(b"\n"):
            return
        line = raw.decode("utf-8").rstrip("\r\n")
        if line == "":
            if data:
                yield Event(name, json.loads("\n".join(data)), last_id)
            elif last_id != told_id:
                yield Event("", None, last_id)
            told_id = last_id
            name, data = "message", []
            continue
        field, _, value = line.partition(":")
        value = value[1:] if value.startswith(" ") else value
        if field == "event":
            name = value
        elif field == "data":
            data.append(value)
        elif field == "id" and "\0" not in value:
            last_id = value
