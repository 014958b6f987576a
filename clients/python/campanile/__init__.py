"""Campanile's operations for Python, without dependencies.

    from campanile import Campanile

    campanile = Campanile("http://127.0.0.1:3000", token=API_KEY)
    sent = campanile.add_campaign(name="Fair", html="We open at <b>nine</b>.", group_metadata_ids=[1, 2])
    for event in campanile.events():
        print(event.event, event.data)
"""

from .client import Campanile
from .errors import CampanileError, FieldError
from .events import Event
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
    UserInfo,
)

__all__ = [
    "AddCampaign",
    "AddCampaignBatch",
    "AddedCampaign",
    "Analytics",
    "AuthorizeUser",
    "Campanile",
    "CampanileError",
    "CreateChannel",
    "CreateCommunity",
    "CreateUser",
    "CreatedChannel",
    "CreatedCommunity",
    "CreatedUser",
    "Event",
    "FieldError",
    "GetAnalytics",
    "ScheduledCampaign",
    "SignedIn",
    "UserInfo",
]
