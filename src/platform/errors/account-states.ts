/**
 * Why an account is not connected, by a stable code (contract §4, account-status). A code never comes to mean something else and never goes
 * away; a new sentence gets a new one here, and its text in `web/format/state-reason.ts`. `#` stands for a number.
 */
export const STATE_REASONS = {
  connecting: 'The connection to WhatsApp is being made',
  connection_requested: 'WhatsApp asked for a new connection',
  session_failed: 'The session failed and is opened again',
  not_available: 'WhatsApp is not available just now',
  connection_broke: 'The connection to WhatsApp broke',
  unreachable: 'WhatsApp cannot be reached just now: try again in a moment',
  version_refused: 'WhatsApp no longer accepts this version of its client: Campanile has to be updated',
  login_refused: 'WhatsApp refuses the login (#): it is tried again, less often each time',
  rate_limited: 'WhatsApp asks for less haste',
  restricted: 'WhatsApp has restricted this account for a while',
  refused: 'WhatsApp refuses one post after the other',
  used_elsewhere: 'The same link is used from somewhere else, which took the connection over',

  banned_for_a_while: 'WhatsApp has banned this number for a while',
  banned_strangers:
    'WhatsApp has banned this number for a while: it has written to too many people who do not have it in their address book',
  banned_blocked: 'WhatsApp has banned this number for a while: too many people have blocked it',
  banned_groups:
    'WhatsApp has banned this number for a while: it has made too many groups with people who do not have it in their address book',
  banned_same_message: 'WhatsApp has banned this number for a while: it has sent the same message to too many people',
  banned_lists: 'WhatsApp has banned this number for a while: it has sent too much to broadcast lists',
  banned: 'WhatsApp has banned this number',
  locked: 'WhatsApp has locked this number: look into WhatsApp on the phone, which says why',

  link_removed: 'The link was removed on the phone, or ended by WhatsApp: link the account again',
  link_ended: 'WhatsApp has ended the link: link the account again',
  link_over: 'The link to WhatsApp has ended: link the account again',
  phone_too_old: 'The phone does not allow linked devices: update WhatsApp there, then link again',
  key_lost: 'The encryption key of its credentials is lost. Link the account again.',
  remove_by_hand:
    'The messaging application could not be reached. Remove this device from the linked devices on your phone.',

  link_interrupted: 'Linking was interrupted: connect the account again',
  link_failed: 'The account could not be linked: try again',
  link_broke: 'The connection to WhatsApp broke before a phone was linked: connect the account again',
  nobody_in_time: 'No phone was linked in time: connect the account again',
  other_number: 'The phone that was used has the number +#; this account is for +# alone',
  forged:
    'The signature of the phone did not hold, so nothing was linked: connect the account again, and use the code that is shown last',
  code_not_given: 'WhatsApp gave no code to enter: try again in a moment',
  code_limited:
    'WhatsApp gives no more codes for this number at the moment: scan the QR code instead, or wait a few hours',
  code_refused:
    'WhatsApp gives no code for this number (#): check that it is right and in use on WhatsApp, or scan the QR code instead',
  passkey_not_requested: 'WhatsApp asks for no passkey at the moment: connect the account again',
  passkey_not_shown: 'The passkey was not shown in time: connect the account again',
  passkey_not_continued: 'The phone did not finish the link after the passkey was shown: connect the account again',
  passkey_failed: 'WhatsApp did not complete the link by passkey: connect the account again',

  disabled:
    'Sending is stopped, because an administrator has disabled the owner of this workspace. It continues once the owner is enabled.',
  quarantined:
    'Sending is stopped, because the records of sent posts contradict each other. No data was lost. Connect your account again to recount the posts and to continue.',
} as const satisfies Record<string, string>;

export type StateCode = keyof typeof STATE_REASONS;

const CODES = new Map(Object.entries(STATE_REASONS).map(([code, sentence]) => [sentence as string, code as StateCode]));

/** Returns the code of a sentence of the table, whatever its numbers; null of another one. Only what writes a state asks for it. */
export const stateCodeOf = (reason: string): StateCode | null => CODES.get(reason.replaceAll(/\d+/g, '#')) ?? null;

/** Returns the sentence of a code with its numbers. */
export function wordState(code: StateCode, ...numbers: ReadonlyArray<string | number>): string {
  const left = [...numbers];
  return STATE_REASONS[code].replaceAll('#', () => String(left.shift() ?? ''));
}
