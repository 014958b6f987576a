"""What the seven operations answer. There may be more fields at any time."""

from __future__ import annotations

from typing import TypedDict


class UserInfo(TypedDict):
    user_id: int
    email: str
    user_name: str
    phone_number: str
    first_name: str
    last_name: str
    wharsapp_number: str
    is_first_login: bool


class SignedIn(TypedDict):
    token: str
    user_info: UserInfo


class AddedCampaign(TypedDict):
    campaign_id: str
    status: str
    group_count: int
    scheduled_for: None


class Nid(TypedDict):
    server: str
    user: str
    _serialized: str


class Channel(TypedDict):
    title: str
    nid: Nid
    inviteLink: str
    createdAtTs: int


class CreatedChannel(TypedDict):
    resp: Channel
    group_metadata_id: int


class CreatedCommunity(TypedDict):
    group_name: str
    group_metadata_id: int
