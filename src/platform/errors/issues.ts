/**
 * What can be wrong with a field, or with a group of a checked campaign, by a stable code (contract §2). A code never comes to mean something
 * else; a new problem gets a new one here. The sentence continues the name of the field. `{name}` stands for a parameter.
 */
export const ISSUES = {
  required: 'is required',
  empty: 'must not be empty',
  too_long: 'must be at most {limit} characters',
  too_short: 'must be at least {limit} characters',
  too_many: 'must have at most {limit} entries',
  too_few: 'must have at least {limit} entries',
  too_high: 'must be at most {limit}',
  too_low: 'must be at least {limit}',
  email_address: 'must be an e-mail address',
  phone_number: 'must be a phone number',
  phone_digits: 'must be 7 to 15 digits, such as +49 151 2345-6789',
  user_name: "must be 2 to 64 letters, digits, spaces and . _ @ + - '",
  date: 'must be a date of the form YYYY-MM-DD',
  time_of_day: 'must be a time of day of the form HH:MM:SS',
  same_times: 'must not equal from',
  instant: 'must be a date and time with a time zone, such as 2030-12-31T23:59:59Z',
  time_zone: 'must be {expected}',
  end_before_start: 'is before start_date',
  too_many_days: 'must be at most {limit} days from start_date, both included',
  too_many_posts: 'makes a report of more than {limit} single posts: choose a shorter span',
  no_day_left: 'leaves no day to send on with these weekdays and skip_dates',
  beyond_calendar: 'must be before the year 10000 in UTC',
  passed_today: 'has passed today, and today is the last day: every occurrence of this schedule is in the past',
  schedule_over: 'is in the past: every occurrence of this schedule is over',
  in_past: 'is in the past',
  too_far_ahead: 'is more than {limit} days ahead',
  run_too_far: 'must be at most {limit} days from the time that the schedule gives the run',
  run_taken: 'is when another run of this campaign is due',
  no_text: 'has no text, and there is no file',
  unreadable_picture: 'is a picture that is cut off or damaged',
  too_many_pixels: 'has more than {limit} megapixels',
  link: 'must be a link',
  foreign_link: 'is not a link in the text',
  not_with_poll: 'must not be together with poll: send two campaigns',
  own_message: 'is a message of its own: leave html empty, and send text and file as another campaign',
  votes_in_channels: 'contains {found}: votes in channels cannot be counted',
  mention_in_channels: 'is not possible in channels: leave them out',
  mention_in_poll: 'is not possible in a poll or an event, which have no text',
  mention_too_long: 'is longer than {limit} characters with @all before it',
  mention_not_allowed: 'is not allowed: mention_all_cap of update-account is 0',
  mention_used_up: 'is used up for {groups} of the groups on {date}: leave them or the mention out',
  pin_in_channels: 'is not possible in channels, where posts cannot be pinned: leave them out',
  no_review_group: 'must be a group or community that the account may post to',
  reply_to_itself: 'must be another campaign than the one that is changed',
  follow_up_itself: 'must be another campaign than the one that is changed',
  blank: 'must not be blank',
  not_distinct: 'must differ from each other',
  before_start: 'must be after start_at',
  no_poll: 'is not of a campaign with a poll or event',
  voters_secret: 'must be false, since the poll was sent without names_voters',
  no_file: 'is the name of a file, and there is no file',
  nothing_left: 'leaves neither text nor file',
  too_late: 'can no longer be changed',
  tags_not_allowed: 'has tags that are not allowed: {tags}',
  too_deep: 'has tags nested over {limit} deep',
  too_complex: 'is too tangled to be read',
  html_too_long: 'is longer than {limit} characters without the tags that are not allowed',
  text_and_html: 'must not be together with html: both are the message',
  text_too_long: 'is longer than the {limit} characters that a message can have',
  empty_file: 'is empty',
  file_too_large: 'is larger than {limit} MiB',
  file_heic:
    'is a HEIC photo, which most phones cannot show: save it as JPEG. An iPhone takes JPEG with Settings, Camera, Formats, Most Compatible',
  file_type: 'is not {accepted}',
  not_picture: 'is not a picture',
  not_plain_text: 'is not plain text',
  not_film: 'is not the id of a film',
  caption_of_sound: 'is not shown with a sound',
  channel_picture: 'is not a JPEG, PNG or WebP picture',
  too_many_people: 'must be at most {limit} people',
  too_many_groups: 'must name 10,000 groups at most',
  taken: 'is already taken',
  taken_by: 'is that of the campaign {campaign_id} already',
  metadata_key: 'must have keys of 1 to 40 characters',
  unknown_id: 'is not the id of one of your {of}',
  unknown_run: 'is not the id of a run of this campaign',
  foreign_group: 'contains the id of a group that is not yours',
  stale_version: 'is not the newest version',
  wrong_password: 'is not the present password',
  weak_password: 'is too easy to guess: take three or four words that say nothing about you',
  wrong_code: 'is wrong, or was used before',
  code_required: 'is required: this user has a second factor',
  no_proof: 'has no proof of the last 10 minutes',
  void_link: 'is of a link that was used already, has expired or is not ours',
  not_verified: 'could not be verified; try again',
  other_user: 'belongs to another user',
  https: 'must begin with https://',
  http_or_https: 'must begin with https:// or http://',
  url: 'must be a URL',
  url_credentials: 'must not have a user name or a password',
  url_fragment: 'must not have a # part',
  clock_time: 'must be a time of day of the form HH:MM',
  group_gone: 'no longer exists in the messaging application, or you are no longer a member. Sync your groups',
  admins_only: 'only its admins can post there, and you are not an admin',
  no_sending: 'you are not a member, or only admins can post there. Ask an admin of the group',
  same_text: 'gets the very same text from you less than 24 hours before or after',
  wrong_type: 'must be {expected}',
  wrong_value: 'must be {values}',
  wrong_format: 'is malformed',
  uuid: 'must be a UUID',
  not_multiple: 'must be a multiple of {of}',
  invalid: 'is not valid',
  instant_or_now: 'must be "now", or a date and time with a time zone, such as 2030-12-31T23:59:59Z',
  not_with_image: 'must not be sent together with image',
  either_image_or_removal: 'must not be true together with image',
  id_or_key: 'is required, or idempotency_key instead of it',
  one_of_two: 'or from is required, but not both',
  base64url: 'must be base64url',
  base64url_bytes: 'must be {bytes} bytes as base64url, without padding',
  hash: 'must be 64 hexadecimal digits',
  not_base64: 'is not valid base64',
  url_of_file:
    'takes the file itself in base64. To take one from a URL, call media/import and name its media_id in media',
  data_url_head: 'must begin like data:image/png;base64, if it is a data URL',
  data_url_type: 'is a data URL with a malformed type',
  picture_data_url: 'must be a data URL with the type of the picture, such as data:image/png;base64,…',
  unknown_message: 'is not the id of a message to this webhook from the last 30 days',
  unknown_field: 'is not a field here{suggestion}',
  other_form: 'was read as {value}: send {expected}',
  unsupported_header: 'is not supported by this operation',
  nul_character: 'must not contain the character NUL',
  lone_surrogate: 'must not contain half a surrogate pair (\\ud800 to \\udfff)',
  length_between: 'must be {min} to {max} characters',
  bad_cursor: 'must be the next_cursor of an earlier answer',
  curve_point: 'must be a public key of P-256',
  assertion: '{reason}',
  webhook_id: 'must be the id of a webhook',
  no_address: 'has no address',
  private_address: 'leads to an address that is not public',
  whole_number: 'must be a whole number',
  chat_id: 'is an id of WhatsApp: list-groups returns it as nid, and group_metadata_id for this field',
  sent_as_other: 'is required; {sent} is not a field here',
} as const;

export type IssueCode = keyof typeof ISSUES;
/** The figures and names of an issue, for clients that word it themselves. */
export type IssueParams = Readonly<Record<string, string | number>>;

export interface Issue {
  code: IssueCode;
  /** The issue in English. */
  issue: string;
  params?: IssueParams;
}

/** Returns an issue in English with its code. Parameters that the sentence does not name go along as well. */
export function describeIssue(code: IssueCode, params?: IssueParams): Issue {
  const issue = ISSUES[code].replaceAll(/\{(\w+)\}/g, (_, name: string) => String(params?.[name] ?? ''));
  return { issue, code, ...(params && { params }) };
}

/** One thing wrong with one field. `field` is the dotted path in the request body: `group_metadata_ids.3`. */
export interface FieldError extends Partial<Issue> {
  field: string;
  issue: string;
}

export function fieldError(field: string, code: IssueCode, params?: IssueParams): FieldError {
  return { field, ...describeIssue(code, params) };
}
