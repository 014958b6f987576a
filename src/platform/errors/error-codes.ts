/**
 * Every failure there is, by the code that programs tell it by (contract §2): what kind it is, and what it means. A code never comes to mean
 * something else and never goes away; a new failure gets a new one here. `docs/reference/errors.md` is made of this table.
 */
export const ERROR_CODES = {
  invalid_request: ['invalid', 'A field is missing or has an invalid value; `details` names the field'],
  unknown_field: [
    'invalid',
    'The request has a field or header that the operation does not know, and `Prefer: handling=strict` is set',
  ],
  body_not_json: ['invalid', 'The body is not a JSON object'],
  assertion_rejected: ['invalid', 'The assertion is for an earlier request, or WhatsApp rejected it; get a new one'],
  request_unreadable: ['invalid', 'The request is not valid HTTP/1.1'],

  token_missing: ['unauthenticated', 'The `Authorization: Bearer` header is missing or has another scheme'],
  token_invalid: ['unauthenticated', 'The token is malformed, has expired, or has a wrong signature'],
  token_revoked: ['unauthenticated', 'The token has been revoked; sign in again'],
  api_key_invalid: ['unauthenticated', 'The API key is unknown, has expired, or has been revoked'],
  user_gone: ['unauthenticated', 'The user has been deleted'],
  credentials_wrong: ['unauthenticated', 'Wrong user name or password'],
  code_required: ['unauthenticated', 'The password is correct; send the code of the second factor too'],
  code_wrong: ['unauthenticated', 'The code of the second factor is wrong or was used before'],
  passkey_unknown: ['unauthenticated', 'The passkey is not registered here'],
  not_signed_in: ['unauthenticated', 'The dashboard’s session is missing or has ended; sign in again'],

  scope_missing: [
    'forbidden',
    'The API key lacks the scope that the operation needs, or is a test key and the operation is about the person',
  ],
  token_required: ['forbidden', 'The operation takes a token and no API key'],
  role_missing: [
    'forbidden',
    'Your role in the workspace, or that of the API key, is below the one that the operation needs',
  ],
  approval_own: ['forbidden', 'Nobody decides on a post that they wrote a part of, while somebody else can'],
  proof_required: [
    'forbidden',
    'The token’s proof of identity is older than 10 minutes; call `confirm_identity` or sign in again',
  ],
  admin_required: ['forbidden', 'The operation is for administrators'],
  user_disabled: ['forbidden', 'An administrator has disabled the user'],
  signup_closed: ['forbidden', 'Sign-up is closed, or needs an invitation'],
  host_unknown: ['forbidden', 'The `Host` header names a host that the service does not serve'],
  dashboard_only: ['forbidden', 'The operation is for the dashboard only'],
  metrics_closed: ['forbidden', 'Metrics need a token, and `METRICS_TOKEN` is not set'],

  path_not_found: ['not_found', 'There is no such path'],
  workspace_not_found: [
    'not_found',
    'The workspace that `x-workspace` names does not exist, or you are not a member of it',
  ],
  account_not_found: ['not_found', 'The workspace has no account with this id'],
  campaign_not_found: ['not_found', 'The campaign does not exist or belongs to another user'],
  run_not_found: ['not_found', 'The campaign has no run with this id'],
  group_not_found: ['not_found', 'The group does not exist or belongs to another user'],
  poll_not_found: ['not_found', 'The campaign has no poll and no event'],
  field_not_found: ['not_found', 'The field does not exist or belongs to another user'],
  group_list_not_found: ['not_found', 'The group list does not exist or belongs to another user'],
  report_link_not_found: [
    'not_found',
    'The link to a report does not exist, has expired, was revoked, or belongs to another user',
  ],
  calendar_link_not_found: [
    'not_found',
    'The link to the calendar does not exist, was revoked, or belongs to another user',
  ],
  approval_not_found: ['not_found', 'The workspace has no request for approval with this id'],
  draft_not_found: ['not_found', 'The draft does not exist or belongs to another user'],
  template_not_found: ['not_found', 'The template does not exist or belongs to another user'],
  media_not_found: ['not_found', 'The file does not exist, belongs to another user, or is no longer kept'],
  api_key_not_found: ['not_found', 'You have no API key with this id'],
  session_not_found: ['not_found', 'You have no session with this id, or it has ended'],
  factor_not_found: ['not_found', 'You have no second factor with this id'],
  user_not_found: ['not_found', 'The user does not exist, or you are not an administrator'],
  member_not_found: ['not_found', 'The workspace has no member with this id'],
  workspace_invitation_not_found: ['not_found', 'The workspace has no pending invitation with this id'],
  invitation_not_found: ['not_found', 'No invitation to this address is pending'],
  webhook_not_found: ['not_found', 'The webhook does not exist or belongs to another user'],
  webhook_message_not_found: ['not_found', 'The webhook has no message with this id, or the message is no longer kept'],
  not_on_sandbox: ['not_found', 'The account is not on the sandbox'],

  method_not_allowed: ['method_not_allowed', 'The path takes another method; `allow` names it'],
  body_too_slow: ['too_slow', 'The request arrived too slowly'],
  body_too_large: ['too_large', 'The body is larger than the operation accepts'],
  content_type_unsupported: ['unsupported_media_type', 'The body is compressed or is not `application/json`'],
  headers_too_long: ['headers_too_long', 'The headers are too long'],

  login_taken: ['conflict', 'The user name or e-mail address is taken'],
  idempotency_key_reused: ['unprocessable', 'The `Idempotency-Key` was used before with another request'],
  idempotency_key_in_progress: ['conflict', 'The first request with this `Idempotency-Key` has not finished'],
  idempotency_key_outcome_unknown: [
    'conflict',
    'The outcome of the first request with this `Idempotency-Key` is unknown; sync your groups',
  ],
  account_unlinked: ['conflict', 'The account is not linked to a messaging application'],
  account_linked: ['conflict', 'The account is linked; disconnect it first'],
  account_busy: ['conflict', 'The account has campaigns that are planned or under way, or posts wait for it'],
  account_is_default: ['conflict', 'The default account of a workspace cannot be removed'],
  account_limit_reached: ['conflict', 'The workspace has reached its limit of accounts'],
  account_stopped: ['conflict', 'The account was stopped; connect it again to continue sending'],
  owner_disabled: ['conflict', 'An administrator has disabled the owner of the workspace, so nothing is sent'],
  passkey_not_requested: ['conflict', 'WhatsApp asks for no passkey; connect the account again'],
  number_missing: ['conflict', 'The account has no WhatsApp number yet; its owner enters it with `update_profile`'],
  number_fixed: ['conflict', 'A phone has been linked with the number, so the number can no longer change'],
  number_being_linked: ['conflict', 'The number is being linked at this moment'],
  number_taken: ['conflict', 'Another user or another account of the workspace has entered or linked the number'],
  messenger_refused: ['conflict', 'The messaging application rejected the request permanently'],
  pairing_code_refused: ['conflict', 'The messaging application gives no pairing code for the number'],
  pairing_code_limited: ['conflict', 'The messaging application gives no more pairing codes for the number for now'],
  link_not_kept: ['conflict', 'There is no ended link that could be tried once more'],
  messenger_unknown: ['conflict', 'This installation has no messaging application of this name'],
  campaign_wrong_state: ['conflict', 'The state of the campaign does not allow the action'],
  run_wrong_state: ['conflict', 'The run has begun, or is the last one of its campaign'],
  campaign_folded: ['conflict', 'The single posts of the campaign are no longer kept'],
  media_in_use: ['conflict', 'A draft, a template, or a campaign that has not ended, has the file'],
  campaign_media_gone: ['conflict', 'The campaign’s file is no longer kept'],
  campaign_revising: ['conflict', 'Posts of the campaign are still being recalled, corrected, pinned or unpinned'],
  campaign_limit_reached: ['conflict', 'The workspace has reached its limit of campaigns under way or planned'],
  external_id_taken: [
    'conflict',
    'Another object of its kind in the workspace has this `external_id`; `details` names it',
  ],
  approval_required: ['conflict', 'The post needs an approval in this workspace; ask for it with `request-approval`'],
  approval_not_used: ['conflict', 'The workspace uses no approval: its owner can change that'],
  approval_decided: ['conflict', 'The request for approval is closed: sent, rejected or withdrawn'],
  approval_changed: ['conflict', 'The post has changed since you loaded it; load it again'],
  approval_time_passed: ['conflict', 'The post was not approved in time; ask again with another time'],
  approval_limit_reached: [
    'conflict',
    'The workspace has reached its limit of requests for approval, or of entries in one',
  ],
  poll_not_correctable: ['conflict', 'A poll or an event cannot be changed once it was sent'],
  voters_not_named: ['conflict', 'The poll was sent without `names_voters`, so nothing is stored of who voted'],
  too_late: ['conflict', 'The posts were sent so long ago that the messaging application no longer changes them'],
  nothing_sent: ['conflict', 'The campaign has no sent post that could be recalled, corrected, pinned or unpinned'],
  mention_cap_reached: [
    'conflict',
    'The workspace’s daily cap for mentions of everybody is used up in some of the groups',
  ],
  nothing_failed: ['conflict', 'The campaign has no failed post'],
  sender_removed: [
    'conflict',
    'Each failed post may have left by an account that was removed, so no other account sends it again',
  ],
  draft_changed: ['conflict', 'The draft has changed since this version; load it again'],
  draft_limit_reached: ['conflict', 'The workspace has reached its limit of drafts'],
  template_changed: ['conflict', 'The template has changed since this version; load it again'],
  template_limit_reached: ['conflict', 'The workspace has reached its limit of templates'],
  group_list_limit_reached: ['conflict', 'The workspace has reached its limit of group lists'],
  field_in_use: [
    'conflict',
    'Posts that are yet to begin, or lists by rule, need the field; `details` names some, and `remove_in_use` removes it all the same',
  ],
  field_limit_reached: ['conflict', 'The workspace has reached its limit of fields'],
  value_limit_reached: ['conflict', 'The values of groups would take more room than a workspace has for them'],
  report_link_limit_reached: ['conflict', 'The workspace has reached its limit of links to reports'],
  calendar_link_limit_reached: ['conflict', 'The workspace has reached its limit of links to the calendar'],
  already_member: ['conflict', 'The user is a member of the workspace already'],
  hand_over_first: ['conflict', 'The workspace needs its owner; hand it over to another member first'],
  member_disabled: ['conflict', 'An administrator has disabled the member'],
  invitation_limit_reached: ['conflict', 'The workspace has reached the limit of pending invitations'],
  member_limit_reached: ['conflict', 'The workspace has reached the limit of members'],
  owner_limit_reached: ['conflict', 'The person owns as many workspaces as a person may'],
  workspace_limit_reached: ['conflict', 'The user has reached the limit of workspaces'],
  api_key_limit_reached: ['conflict', 'The user has reached the limit of API keys'],
  webhook_limit_reached: ['conflict', 'The workspace has reached its limit of webhooks'],
  webhook_disabled: ['conflict', 'The webhook is disabled; enable it first'],
  webhook_nothing_to_retry: ['conflict', 'The webhook has no message in this span of time'],
  webhook_retry_too_large: ['conflict', 'The span of time has more messages than one retry can send'],
  factor_limit_reached: ['conflict', 'The user has reached the limit of passkeys'],
  factor_exists: ['conflict', 'The second factor is already set up'],
  factor_missing: ['conflict', 'Set up a second factor first'],
  passkeys_unavailable: ['conflict', 'Browsers create no passkeys for the address of this service'],
  changed_meanwhile: ['conflict', 'The password or the tokens changed at the same moment; try again'],
  not_for_oneself: ['conflict', 'Administrators cannot do this to their own user'],
  ledger_not_held: ['conflict', 'The ledger is not held'],
  release_incomplete: ['conflict', 'A campaign of the held ledger has no choice yet'],

  rate_limited: ['rate_limited', 'The user has reached the limit of requests per minute'],
  too_many_attempts: ['rate_limited', 'Too many attempts at a password, code, sign-up or mail'],
  too_many_streams: ['rate_limited', 'The user or the workspace has reached the limit of open event streams'],
  creation_limit_reached: [
    'rate_limited',
    'The workspace has reached its limit of groups, communities and channels created in 24 hours',
  ],

  database_unavailable: ['unavailable', 'The database cannot be reached at the moment'],
  database_slow: ['unavailable', 'The database takes too long at the moment'],
  disk_full: ['unavailable', 'The disk is full or nearly full'],
  overloaded: ['unavailable', 'The server is overloaded at the moment'],
  server_stopping: ['unavailable', 'The server is shutting down'],
  sign_ins_busy: ['unavailable', 'Too many sign-ins are in progress'],
  media_busy: ['unavailable', 'Another request is changing the file'],
  account_not_connected: ['unavailable', 'The account is not connected at the moment; nothing was done'],
  messenger_unavailable: [
    'unavailable',
    'The messaging application rejected the request for now, or stopped the linking',
  ],
  messenger_unreachable: ['unavailable', 'The messaging application cannot be reached, or has not answered'],
  outcome_unknown: ['unavailable', 'The messaging application has not answered; sync your groups to see what exists'],

  storage_full: ['no_room', 'The workspace has reached its limit of stored files'],
  internal_error: ['defect', 'A defect of the service; report it with the `request_id`'],
} as const satisfies Readonly<Record<string, readonly [ErrorKind, string]>>;

export type ErrorCode = keyof typeof ERROR_CODES;

/** The kind of a failure for the client; `statusOf` in `src/api/server/envelope.ts` maps it to the HTTP status. */
export type ErrorKind =
  | 'invalid' // the request makes no sense as it stands
  | 'unauthenticated' // who are you?
  | 'forbidden' // known, but not allowed
  | 'not_found' // does not exist, or is somebody else's: never told apart
  | 'method_not_allowed'
  | 'conflict' // the present state forbids it
  | 'unprocessable' // contradicts an earlier request
  | 'too_large'
  | 'too_slow' // its body came a drop at a time
  | 'headers_too_long'
  | 'unsupported_media_type'
  | 'rate_limited'
  | 'no_room' // the workspace has used up what it may store
  | 'unavailable' // come back later
  | 'defect';
