"""Server-sent events, read line by line."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Iterable, Iterator


@dataclass(frozen=True)
class Event:
    """A live event. `id` is a position to resume from, by `Campanile.events(last_event_id=…)`; None before the first one."""

    event: str
    data: Any
    id: str | None


def parse_events(lines: Iterable[bytes]) -> Iterator[Event]:
    """Parses server-sent events. Drops an event that is cut off.

    An event that only advances the id has an empty name and no data.
    """
    name = "message"
    data: list[str] = []
    last_id: str | None = None
    yielded_id: str | None = None
    for raw in lines:
        if not raw.endswith(b"\n"):
            return
        line = raw.decode("utf-8").rstrip("\r\n")
        if line == "":
            if data:
                yield Event(name, json.loads("\n".join(data)), last_id)
            elif last_id != yielded_id:
                yield Event("", None, last_id)
            yielded_id = last_id
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
