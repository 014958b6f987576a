"""Bodies and answers of the seven operations of the specification. Later versions of the service may add fields to answers."""

# Without `from __future__ import annotations`: a TypedDict finds `NotRequired` in evaluated annotations only.
from typing import Any, Literal, Mapping, NotRequired, Sequence, TypedDict


class CreateUser(TypedDict):
    """Body of `create_user`."""

    first_name: str
    last_name: str
    #: Letters, digits and `. _ @ + -`.
    user_name: str
    email: str
    phone_number: str
    #: The phone number of the WhatsApp account to link.
    whatsapp_number: str
    #: 8 to 128 characters.
    password: str


class AuthorizeUser(TypedDict):
    """Body of `authorize_user`."""

    #: The user name or the e-mail address.
    user_name: str
    password: str
    #: Required for a user with a second factor: a code of the authenticator app, or a recovery code.
    code: NotRequired[str | None]


class PostFile(TypedDict):
    """A file of the library in a post."""

    #: As `upload` returns it.
    media_id: int
    #: A text of its own, without HTML.
    caption: NotRequired[str | None]
    #: The name as recipients see it. Default: that of the upload.
    file_name: NotRequired[str | None]


class LinkCard(TypedDict):
    """The preview that members see with a link of the text."""

    #: A link exactly as the text of the message has it.
    url: str
    #: Empty: the link goes without a preview.
    title: str
    description: NotRequired[str | None]
    #: A picture in base64, at most 2 MiB decoded.
    image: NotRequired[str | None]


class Poll(TypedDict):
    """A poll in place of text and file. Not for channels."""

    question: str
    #: 2 to 12.
    options: Sequence[str]
    #: Each member may choose several options.
    multiple: NotRequired[bool | None]
    #: Votes are counted for so many hours from the start of the run. Default: 90 days.
    open_hours: NotRequired[int | None]
    #: Stores who voted.
    names_voters: NotRequired[bool | None]


class Event(TypedDict):
    """An event in place of text and file, which members answer. Not for channels."""

    name: str
    description: NotRequired[str | None]
    place: NotRequired[str | None]
    #: ISO 8601 with a time zone.
    start_at: str
    end_at: NotRequired[str | None]


class ReplyTo(TypedDict):
    """The earlier campaign whose posts are quoted."""

    campaign_id: str
    #: Default: the latest run that has begun by then.
    run_id: NotRequired[int | None]


class FollowUp(TypedDict):
    """The earlier campaign, and how few members of a group have read it."""

    campaign_id: str
    #: Default: all its runs.
    run_id: NotRequired[int | None]
    #: 1 to 100.
    under_percent: int


class Translation(TypedDict):
    """A text for groups of a language, in place of that of the post. It has `html` or `text`."""

    #: A tag of BCP 47, or the name of the language.
    language: str
    html: NotRequired[str]
    text: NotRequired[str | None]


class _Post(TypedDict):
    name: str
    #: A description for your own use.
    desc: NotRequired[str | None]
    #: May be empty if there is a file. Tags: h1–h6, i, em, b, strong, p, br, a, ul, ol, li, span. Required unless `text` is there.
    html: NotRequired[str]
    #: The message in WhatsApp's own marks, as typed on a phone, instead of `html`.
    text: NotRequired[str | None]
    #: Your own id of the campaign, unique in the workspace.
    external_id: NotRequired[str | None]
    #: Texts of your own by key, 50 at most.
    metadata: NotRequired[Mapping[str, str] | None]
    #: Words to find the campaign and to report on it by, 10 at most.
    tags: NotRequired[Sequence[str] | None]
    #: Texts in further languages, 20 at most, each once. A group gets that of its language.
    translations: NotRequired[Sequence[Translation] | None]
    #: Tags that are not allowed are rejected (default), or taken out with a warning.
    on_unknown_tags: NotRequired[Literal["reject", "drop"] | None]
    #: Fills `{{ name }}` and `{{ name | "fallback" }}` with the value of each group. Default: braces stay as they are.
    with_fields: NotRequired[bool | None]
    #: Of groups without a value: the request is rejected (default), or they get no post.
    on_missing_value: NotRequired[Literal["reject", "leave_out"] | None]
    #: A file in base64, with or without a data URL prefix. At most 16 MiB decoded.
    image: NotRequired[str | None]
    #: The name of the file as recipients see it. Default: `file`.
    file_name: NotRequired[str | None]
    #: Files of the library instead of `image`, 10 at most.
    media: NotRequired[Sequence[PostFile] | None]
    #: Mentions everybody in each group. Not in channels.
    mention_all: NotRequired[bool | None]
    #: Pins each post for so long after it was sent. Not in channels.
    pin_for: NotRequired[Literal["24h", "7d", "30d"] | None]
    reply_to: NotRequired[ReplyTo | None]
    #: Posts only to groups in which few members have read an earlier campaign.
    follow_up: NotRequired[FollowUp | None]
    poll: NotRequired[Poll | None]
    event: NotRequired[Event | None]
    link_preview: NotRequired[LinkCard | None]
    #: Fetches the preview of the first link, unless `link_preview` is sent.
    fetch_link_preview: NotRequired[bool | None]
    #: The id of the template that the post was written from.
    from_template: NotRequired[str | None]
    #: Required unless `group_list_ids` is there.
    group_metadata_ids: NotRequired[Sequence[int]]
    #: Saved lists, with the groups that they have as each run begins.
    group_list_ids: NotRequired[Sequence[int] | None]
    #: Sends wherever this account of the workspace may post. Default: the sender of each group.
    account_id: NotRequired[int | None]
    #: Stored and returned only: the ids determine whether posts go to channels.
    is_channel_campaign: NotRequired[bool | None]


class AddCampaign(_Post):
    """Body of `add_campaign`, which sends now."""

    is_schedule: NotRequired[Literal[False] | None]
    #: `YYYY-MM-DD HH:MM:SS`. Stored and returned only: the campaign is sent now.
    schedule_time: NotRequired[str | None]
    #: Only `add_campaign_batch` takes one.
    recurrence: NotRequired[None]
    #: A test of a post, which lists and the overview leave out.
    is_test: NotRequired[bool | None]
    #: Sends in quiet hours, too. Other posts of the account wait for their end.
    ignore_quiet_hours: NotRequired[bool | None]


class AddCampaignBatch(_Post):
    """Body of `add_campaign_batch`, which schedules one run on each date."""

    #: The client adds it where it is missing.
    is_schedule: NotRequired[Literal[True]]
    #: `YYYY-MM-DD`.
    start_date: str
    #: `YYYY-MM-DD`, included. Required without `recurrence`; then at most 366 days in all.
    end_date: NotRequired[str | None]
    #: `HH:MM:SS`, wall-clock time in the time zone.
    schedule_time: str
    #: A rule of RFC 5545, and lines of `RDATE` and `EXDATE`, in the time zone.
    recurrence: NotRequired[str | None]
    #: An IANA time zone, such as `Europe/Berlin`. Default: the user's.
    time_zone: NotRequired[str | None]
    #: 1 is Monday. Default: every day.
    weekdays: NotRequired[Sequence[int] | None]
    #: Dates without a run.
    skip_dates: NotRequired[Sequence[str] | None]


class CreateChannel(TypedDict):
    """Body of `create_channel`."""

    name: str
    description: NotRequired[str | None]
    #: A data URL of a picture: `data:image/png;base64,…`
    image: NotRequired[str | None]
    #: One of your accounts. Default: the default account of the workspace.
    account_id: NotRequired[int | None]


class CreateCommunity(TypedDict):
    """Body of `create_community`."""

    community_name: str
    description: NotRequired[str | None]
    #: Creates a group in which all members can write. The next sync lists it.
    general_chat: NotRequired[bool | None]
    #: Lets members add groups to the community. Otherwise only admins can.
    members_may_add_groups: NotRequired[bool | None]
    #: One of your accounts. Default: the default account of the workspace.
    account_id: NotRequired[int | None]


class GetAnalytics(TypedDict):
    """Body of `get_campaign_group_analytics_master`."""

    campaign_id: str
    #: Adds `expected_finish_at`: when the last post of the running runs is expected to be sent.
    with_estimate: NotRequired[bool | None]
    #: Adds `accounts`: the accounts that send, or have sent, each with its share.
    with_accounts: NotRequired[bool | None]


class UserInfo(TypedDict):
    user_id: int
    email: str
    user_name: str
    phone_number: str
    first_name: str
    last_name: str
    wharsapp_number: str
    is_first_login: bool


class CreatedUser(TypedDict):
    user_info: UserInfo


class SignedIn(TypedDict):
    token: str
    user_info: UserInfo


class AddedCampaign(TypedDict):
    campaign_id: str
    status: Literal["running"]
    group_count: int
    scheduled_for: None


class ScheduledCampaign(TypedDict):
    data: Literal[True]
    #: From the header `x-campaign-id`.
    campaign_id: str


class Nid(TypedDict):
    server: str
    user: str
    _serialized: str


class Channel(TypedDict):
    title: str
    nid: Nid
    inviteLink: str
    #: Unix time in seconds.
    createdAtTs: int


class CreatedChannel(TypedDict):
    resp: Channel
    group_metadata_id: int


class CreatedCommunity(TypedDict):
    group_name: str
    group_metadata_id: int


#: The campaign's state, totals, runs and groups. The service documents the fields at `/docs`.
Analytics = dict[str, Any]
