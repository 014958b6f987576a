/**
 * What is known of a post that failed: it surely has not left, it may have arrived, or it was left out on purpose. Or it was sent, and its
 * recall, its correction, its pin or its mention of everybody came to nothing.
 */
type FailureKind = 'unsent' | 'unknown' | 'skipped' | 'sent';

/**
 * What the owner of a post can do about its failure, in English. Of a post that may have arrived it is `check_group` alone. Of one that was
 * sent it never is to send the post again.
 */
export const ADVICE = {
  check_group: 'The post may have arrived. Check the group before you send it again, to avoid duplicates',
  check_account: 'Check that your account is connected, then send the post again if it is still relevant',
  join_group: 'Sync your groups, and ask an admin to add you again',
  ask_admin: 'Ask an admin of the group to make you one, then sync your groups',
  change_post: 'Change the post, and send it again',
  fill_in: 'Change the value of the field in the group, then send the post again',
  send_later: 'Send the post again later',
  send_by_hand: 'Post in the group by hand, to see what the messaging application says',
  request_again: 'Request it again if it still matters',
  send_correction: 'Send a correction as a new post',
  recall_post: 'Recall the post, and send another one',
  use_phone: 'An admin of the group can delete or pin it on a phone, and nobody can edit it',
  nothing: 'There is nothing to do',
} as const satisfies Record<string, string>;

export type Advice = keyof typeof ADVICE;

/**
 * Why a post was not sent, by a stable code (contract §5): what is known of it, what to do, and the reason in English. A code never comes to
 * mean something else and never goes away; a new reason gets a new one here, and its words in `messages/`. `{name}` stands for a parameter.
 */
export const FAILURES = {
  /** `cause` is another code, whose parameters are among its own. */
  outcome_unknown: ['unknown', 'check_group', 'outcome_unknown: {cause}'],
  not_acknowledged: ['unknown', 'check_group', 'WhatsApp has not acknowledged the post'],
  may_be_acknowledged: ['unknown', 'check_group', 'WhatsApp may still acknowledge the post'],
  connection_broke: ['unknown', 'check_group', 'The connection broke while the post was being sent'],
  part_sent: ['unknown', 'check_group', 'A part of the post was sent, and the rest was not: {rest}'],
  not_found: ['unknown', 'check_group', 'it was not found among the recent posts'],
  posts_unread: ['unknown', 'check_group', 'the recent posts could not be read: {why}'],
  not_tried_again: ['unknown', 'check_group', 'it could not be tried again in time'],
  cancelled_in_doubt: ['unknown', 'check_group', 'it was cancelled before its outcome was known'],
  interrupted: ['unknown', 'check_group', 'its sending was interrupted {times} times, so it may crash the worker'],
  sender_removed: [
    'unknown',
    'check_group',
    'The account that may have sent it was removed, and no other account sends it again',
  ],
  restored: ['unknown', 'check_group', 'the post may have been sent before this ledger was restored'],

  already_read: ['skipped', 'nothing', 'read by {percent} %'],
  reads_unknown: ['skipped', 'nothing', 'reads unknown'],
  left_without_value: ['skipped', 'fill_in', 'The group has no value for {fields}'],

  expired: ['unsent', 'check_account', 'expired: it could not be sent in time'],
  group_gone: ['unsent', 'join_group', 'The group no longer exists, or you are not a member of it'],
  no_member_left: ['unsent', 'join_group', 'The group is gone: no account of the workspace is a member any more'],
  not_a_member: ['unsent', 'join_group', 'You are not a member of this group'],
  may_not_post: ['unsent', 'ask_admin', 'You may not post here: only admins may, or you are not a member'],
  admins_only: ['unsent', 'ask_admin', 'Only admins may post in this group'],
  community_itself: ['unsent', 'send_by_hand', 'A community takes no posts itself, only its announcement group does'],
  post_refused: ['unsent', 'change_post', 'WhatsApp does not take this ({code})'],
  text_too_long: ['unsent', 'change_post', 'The text is longer than {limit} characters'],
  value_missing: ['unsent', 'fill_in', 'The group has no value for {fields}'],
  values_too_long: ['unsent', 'fill_in', 'With the values of the group, {field} is longer than {limit}'],
  values_alike: ['unsent', 'fill_in', 'With the values of the group, two options of the poll are the same'],
  nothing_visible: ['unsent', 'change_post', 'Members would see nothing of the post'],
  votes_in_channel: ['unsent', 'change_post', 'Votes cannot be counted in a channel'],
  file_too_large: ['unsent', 'change_post', 'WhatsApp does not take a file of this size ({code})'],
  file_type_refused: ['unsent', 'change_post', 'WhatsApp does not take this file ({code})'],
  file_refused: ['unsent', 'send_later', "WhatsApp's media host refused the file for the moment ({code})"],
  upload_refused: ['unsent', 'send_later', 'WhatsApp did not say where to upload the file to ({code})'],
  file_not_uploaded: ['unsent', 'send_later', 'The file could not be uploaded yet'],
  file_uploading: ['unsent', 'send_later', 'The file is being uploaded'],
  refused_for_now: ['unsent', 'send_later', 'WhatsApp refused this for the moment ({code})'],
  members_outdated: ['unsent', 'send_later', 'WhatsApp says that what is known of the members is outdated ({code})'],
  members_not_reached: ['unsent', 'send_later', 'The members of the group could not be written to'],
  addressing_refused: [
    'unsent',
    'send_later',
    'WhatsApp does not take the way in which the group addresses its members ({code})',
  ],
  chats_limited: ['unsent', 'send_later', 'WhatsApp lets this number begin no more private chats for now ({code})'],
  chats_locked: [
    'unsent',
    'send_later',
    'WhatsApp keeps this number from beginning new private chats. Posts to groups and channels go on, more slowly: post less until it ends',
  ],

  change_unknown: ['sent', 'request_again', 'It is unknown whether the change has arrived: {cause}'],
  /** `cause` is a code of a post that was not sent: its own advice would send the post twice. */
  change_refused: ['sent', 'request_again', '{cause}'],
  change_expired: ['sent', 'request_again', 'It could not be done within {days} days'],
  changes_unsupported: [
    'sent',
    'nothing',
    'This messaging application does not support deleting, changing or pinning sent posts',
  ],
  recall_too_late: [
    'sent',
    'send_correction',
    'Too late: a post can be deleted for everyone for {hours} hours, in a channel for {days} days',
  ],
  correct_too_late: [
    'sent',
    'send_correction',
    'Too late: a post can be changed for {minutes} minutes, in a channel for {days} days',
  ],
  post_gone: ['sent', 'nothing', 'The post is not there any more'],
  account_removed: ['sent', 'use_phone', 'The account that sent this post was removed'],
  number_forgotten: ['sent', 'use_phone', 'The number that sent this post is no longer known'],
  recall_by_admins: ['sent', 'ask_admin', 'Only admins may delete or pin the posts of others here'],
  recall_of_others_refused: ['sent', 'nothing', 'WhatsApp does not let admins delete posts of others here ({code})'],
  pin_by_admins: ['sent', 'ask_admin', 'Only admins may pin in this group'],
  pin_in_channel: ['sent', 'nothing', 'Posts in channels cannot be pinned'],
  file_forgotten: ['sent', 'send_correction', 'How its file was sent is no longer known'],
  caption_of_its_own: [
    'sent',
    'send_correction',
    'Its first file has a caption of its own, and there is no message with the text',
  ],
  caption_too_long: [
    'sent',
    'send_correction',
    'Below a file WhatsApp shows {limit} characters at most: this text is longer',
  ],
  sound_has_no_text: ['sent', 'send_correction', 'WhatsApp shows no text below a sound'],
  text_required: ['sent', 'recall_post', 'The text is a message of its own, and a message cannot become empty'],
  votes_fixed: ['sent', 'recall_post', 'WhatsApp cannot change a poll or an event'],

  mention_not_allowed: ['sent', 'nothing', 'The workspace allows no mention of everybody'],
  mention_cap: [
    'sent',
    'nothing',
    'Everybody in the group was mentioned that day already, as often as the workspace allows: {times}',
  ],
  mention_by_admins: ['sent', 'ask_admin', 'WhatsApp lets only admins mention everybody in a group of this size'],

  /** A reason that this table does not know. `text` is all that is known. */
  other: ['unsent', 'send_by_hand', '{text}'],
} as const satisfies Record<string, readonly [FailureKind, Advice, string]>;

export type FailureCode = keyof typeof FAILURES;
/** The figures and names of a failure, for clients that word it themselves. */
export type FailureParams = Readonly<Record<string, string | number>>;

/** Why something was not sent. A reason without a code is `other`. */
export interface Failure {
  /** In English. */
  reason: string;
  code?: FailureCode | undefined;
  params?: FailureParams | undefined;
}

/** Parameters are kept with each delivery: a longer one is cut. */
const LONGEST_PARAM = 200;

export const isFailureCode = (code: unknown): code is FailureCode =>
  typeof code === 'string' && Object.hasOwn(FAILURES, code);

/** Codes of posts that were left out on purpose. */
export const SKIPPED_CODES = Object.keys(FAILURES).filter(
  (code) => isFailureCode(code) && FAILURES[code][0] === 'skipped',
);

/** Returns a failure by its code, with the reason in English. */
export function describeFailure(code: FailureCode, params?: FailureParams): Failure {
  const reason = wordFailure(code, params ?? {});
  if (!params) return { reason, code };
  const kept = Object.entries(params).map(([name, value]) => [name, typeof value === 'string' ? cut(value) : value]);
  return { reason, code, params: Object.fromEntries(kept) };
}

const cut = (text: string) => text.slice(0, LONGEST_PARAM).toWellFormed();

/** Returns the reason of a failure in English. */
export function wordFailure(code: FailureCode, params: FailureParams): string {
  const { cause } = params;
  return FAILURES[code][2].replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    name === 'cause' && isFailureCode(cause) && cause !== code
      ? wordFailure(cause, params)
      : String(params[name] ?? ''),
  );
}

/** Returns the failure of a post of which an attempt may have left, whatever became of the last one. */
export function toOutcomeUnknown(failure: Failure): Failure {
  const { reason, code = 'other', params = code === 'other' ? { text: reason } : {} } = failure;
  if (code === 'outcome_unknown') return { reason, code, params };
  return { ...describeFailure('outcome_unknown', { ...params, cause: code }), reason: `outcome_unknown: ${reason}` };
}

/** Returns the failure of a change of a post that was sent: a recall, a correction or a pin. */
export function toChangeFailure(failure: Failure): Failure {
  const { reason, code = 'other', params = code === 'other' ? { text: reason } : {} } = failure;
  if (FAILURES[code][0] === 'sent') return { reason, code, params };
  if (code === 'outcome_unknown') return describeFailure('change_unknown', params);
  return { ...describeFailure('change_refused', { ...params, cause: code }), reason };
}

/** Returns a failure as columns have it that keep it as one value: JSON with `error`, `code` and `params`. */
export const storeFailure = ({ reason, code = 'other', params }: Failure): string =>
  JSON.stringify({ error: reason.toWellFormed(), code, params: params ?? null });
