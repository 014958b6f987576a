"""Campanile's operations for Python. It needs nothing but the standard library.

    from campanile import Campanile

    campanile = Campanile("http://127.0.0.1:3000", token=API_KEY)
    sent = campanile.add_campaign(name="Fair", html="We open at <b>nine</b>.", group_metadata_ids=[1, 2])
    for event in campanile.events():
        print(event.event, event.data)
"""

from .client import Campanile
from .errors import CampanileError, Problem
from .events import Event
from .shapes import AddedCampaign, CreatedChannel, CreatedCommunity, SignedIn, UserInfo

__all__ = [
    "AddedCampaign",
    "Campanile",
    "CampanileError",
    "CreatedChannel",
    "CreatedCommunity",
    "Event",
    "Problem",
    "SignedIn",
    "UserInfo",
]
