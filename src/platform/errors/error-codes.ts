/**
 * Every failure there is, by the code that programs tell it by (contract §2): what kind it is, and what it means. A code never comes to mean
 * something else and never goes away; a new failure gets a new one here. `docs/reference/errors.md` is made of this table.
 */
export const ERROR_CODES = {
  invalid_request: ['invalid', 'A field is missing, malformed or makes no sense; `details` says which'],
  unknown_field: [
    'invalid',
    'Asked for by `Prefer: handling=strict`: what the request carries means nothing to this operation',
  ],
  body_not_json: ['invalid', 'The body is no JSON object'],
  request_unreadable: ['invalid', 'The request is not the HTTP that this service takes'],

  token_missing: ['unauthenticated', 'No `Authorization: Bearer` header, or another scheme'],
  token_invalid: ['unauthenticated', 'The token is malformed, has expired or was signed by somebody else'],
  token_revoked: ['unauthenticated', 'The token was valid, and has been revoked'],
  api_key_invalid: ['unauthenticated', 'The API key is not known, has expired or has been revoked'],
  user_gone: ['unauthenticated', 'The user has been deleted'],
  credentials_wrong: ['unauthenticated', 'Wrong user name or password'],
  code_required: ['unauthenticated', 'The password is right, and the code of the second factor is missing'],
  code_wrong: ['unauthenticated', 'The code of the second factor is wrong, or was used before'],
  passkey_unknown: ['unauthenticated', 'The passkey is not known here'],
  not_signed_in: ['unauthenticated', 'The dashboard asked, and nobody is signed in'],

  scope_missing: ['forbidden', 'The API key has not got the scope that the operation needs'],
  token_required: ['forbidden', 'The operation takes no API key'],
  proof_required: ['forbidden', 'Prove once more who you are: `confirm_identity`, or sign in anew'],
  admin_required: ['forbidden', 'The operation is for administrators'],
  user_disabled: ['forbidden', 'An administrator has disabled the user'],
  signup_closed: ['forbidden', 'Sign-up is closed, or by invitation'],
  host_unknown: ['forbidden', 'The service does not go by this name'],
  dashboard_only: ['forbidden', 'Only the dashboard asks this'],
  metrics_closed: ['forbidden', 'The metrics need `METRICS_TOKEN` to be set'],

  path_not_found: ['not_found', 'There is no such path'],
  campaign_not_found: ['not_found', 'No such campaign, or it is somebody else’s'],
  run_not_found: ['not_found', 'No such run of this campaign'],
  group_not_found: ['not_found', 'No such group, or it is somebody else’s'],
  group_list_not_found: ['not_found', 'No such group list, or it is somebody else’s'],
  draft_not_found: ['not_found', 'No such draft, or it is somebody else’s'],
  media_not_found: ['not_found', 'No such file, or it is somebody else’s, or no longer kept'],
  api_key_not_found: ['not_found', 'No such API key of yours'],
  session_not_found: ['not_found', 'No such session of yours, or it has ended'],
  factor_not_found: ['not_found', 'No such second factor of yours'],
  user_not_found: ['not_found', 'No such user, or you are no administrator'],
  invitation_not_found: ['not_found', 'No such invitation'],
  webhook_not_found: ['not_found', 'No such webhook, or it is somebody else’s'],
  webhook_message_not_found: ['not_found', 'No such message of the webhook, or it is no longer kept'],
  not_on_sandbox: ['not_found', 'The account is not on the sandbox'],

  method_not_allowed: ['method_not_allowed', 'The path takes another method, which `allow` names'],
  body_too_slow: ['too_slow', 'The request came too slowly'],
  body_too_large: ['too_large', 'The body is larger than the operation takes'],
  content_type_unsupported: ['unsupported_media_type', 'The body is compressed, or not `application/json`'],
  headers_too_long: ['headers_too_long', 'The headers are too long'],

  login_taken: ['conflict', 'The user name or e-mail address is taken'],
  idempotency_key_reused: ['conflict', 'The `Idempotency-Key` was used before, for another request'],
  idempotency_key_in_progress: ['conflict', 'The first request with this `Idempotency-Key` is still under way'],
  idempotency_key_outcome_unknown: [
    'conflict',
    'What came of the first request with this `Idempotency-Key` is unknown: sync your groups',
  ],
  account_unlinked: ['conflict', 'The account is not linked to a messaging application'],
  account_linked: ['conflict', 'The account is linked: disconnect it first'],
  account_busy: ['conflict', 'Campaigns of the account are planned or under way'],
  account_stopped: ['conflict', 'Sending of the account is stopped until it is connected again'],
  number_fixed: ['conflict', 'A phone has been linked with the number, so it stays'],
  number_being_linked: ['conflict', 'The number is being linked just now'],
  number_taken: ['conflict', 'The number is linked to, or was entered by, somebody else'],
  messenger_refused: ['conflict', 'The messaging application refused it for good'],
  messenger_unknown: ['conflict', 'There is no messaging application of this name here'],
  campaign_wrong_state: ['conflict', 'The campaign’s state forbids it'],
  campaign_folded: ['conflict', 'The single posts of the campaign are no longer kept'],
  campaign_media_gone: ['conflict', 'The campaign’s file is no longer kept'],
  campaign_revising: ['conflict', 'Posts of the campaign are still being recalled or corrected'],
  campaign_limit_reached: ['conflict', 'As many campaigns are under way or planned as there may be'],
  nothing_sent: ['conflict', 'Nothing of it has been sent, or all of that was recalled'],
  nothing_failed: ['conflict', 'Nothing of the campaign has failed'],
  draft_changed: ['conflict', 'The draft was changed in another place meanwhile'],
  draft_limit_reached: ['conflict', 'There are as many drafts as there may be'],
  group_list_limit_reached: ['conflict', 'There are as many group lists as there may be'],
  api_key_limit_reached: ['conflict', 'There are as many API keys as there may be'],
  webhook_limit_reached: ['conflict', 'There are as many webhooks as there may be'],
  webhook_disabled: ['conflict', 'The webhook is switched off'],
  webhook_nothing_to_retry: ['conflict', 'The webhook was told nothing in that span of time'],
  webhook_retry_too_large: ['conflict', 'More messages are in that span of time than are told once more at once'],
  factor_limit_reached: ['conflict', 'There are as many passkeys as there may be'],
  factor_exists: ['conflict', 'The second factor is set up already'],
  factor_missing: ['conflict', 'A second factor has to be set up first'],
  passkeys_unavailable: ['conflict', 'Browsers make no passkeys for this address'],
  changed_meanwhile: ['conflict', 'The password or the tokens were changed at the same moment'],
  not_for_oneself: ['conflict', 'Administrators cannot do this to themselves'],
  ledger_not_held: ['conflict', 'The ledger is not held: it sends'],
  release_incomplete: ['conflict', 'A choice is missing for a campaign of the held ledger'],

  rate_limited: ['rate_limited', 'More requests in a minute than are taken'],
  too_many_attempts: ['rate_limited', 'More attempts at a password, code, sign-up or mail than are taken'],
  too_many_streams: ['rate_limited', 'As many event streams of the user are open as there may be'],
  creation_limit_reached: [
    'rate_limited',
    'As many groups, communities and channels were created in 24 hours as may be',
  ],

  database_unavailable: ['unavailable', 'The database cannot be reached just now'],
  database_slow: ['unavailable', 'The database takes too long just now'],
  disk_full: ['unavailable', 'The disk is full, or nearly'],
  overloaded: ['unavailable', 'The server is overloaded just now'],
  server_stopping: ['unavailable', 'The server is stopping'],
  sign_ins_busy: ['unavailable', 'Too many sign-ins are under way'],
  media_busy: ['unavailable', 'The file is being changed by another request'],
  account_not_connected: ['unavailable', 'The account is not connected just now: nothing was done'],
  messenger_unavailable: ['unavailable', 'The messaging application refused it for now, or broke off linking'],
  outcome_unknown: ['unavailable', 'The messaging application has not answered: sync your groups to see what exists'],

  storage_full: ['no_room', 'The workspace’s files take as much as they may'],
  internal_error: ['defect', 'A defect on our side; `request_id` leads to what was logged'],
} as const satisfies Readonly<Record<string, readonly [ErrorKind, string]>>;

export type ErrorCode = keyof typeof ERROR_CODES;

/** What a failure means for whoever asked; what HTTP status it comes to is said in `http/edge/envelope.ts`. */
export type ErrorKind =
  | 'invalid' // the request makes no sense as it stands
  | 'unauthenticated' // who are you?
  | 'forbidden' // known, but not allowed
  | 'not_found' // does not exist, or is somebody else's: never told apart
  | 'method_not_allowed'
  | 'conflict' // the present state forbids it
  | 'too_large'
  | 'too_slow' // its body came a drop at a time
  | 'headers_too_long'
  | 'unsupported_media_type'
  | 'rate_limited'
  | 'no_room' // the workspace has used up what it may store
  | 'unavailable' // come back later
  | 'defect';
