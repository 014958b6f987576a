import type { StateCode } from '../../src/platform/errors/account-states.ts';
import { t, type PlainKey } from '../i18n/translate.ts';

/** Why an account was not connected, by its code. */
const TEXTS: Readonly<Record<StateCode, PlainKey>> = {
  connecting: 'states.connecting',
  connection_requested: 'states.connecting',
  session_failed: 'states.connecting',
  not_available: 'states.unreachable',
  connection_broke: 'states.unreachable',
  unreachable: 'states.unreachable',
  version_refused: 'waits.version_refused',
  login_refused: 'states.loginRefused',
  rate_limited: 'waits.rate_limited',
  restricted: 'waits.restricted',
  refused: 'waits.refused',
  used_elsewhere: 'waits.used_elsewhere',
  banned_for_a_while: 'states.banned.other',
  banned_strangers: 'states.banned.strangers',
  banned_blocked: 'states.banned.blocked',
  banned_groups: 'states.banned.groups',
  banned_same_message: 'states.banned.sameMessage',
  banned_lists: 'states.banned.lists',
  banned: 'waits.banned',
  locked: 'waits.locked',
  link_removed: 'waits.logged_out',
  link_ended: 'waits.logged_out',
  link_over: 'waits.logged_out',
  phone_too_old: 'states.phoneTooOld',
  key_lost: 'states.keyLost',
  remove_by_hand: 'states.removeByHand',
  link_interrupted: 'states.interrupted',
  link_failed: 'states.interrupted',
  link_broke: 'states.unreachable',
  nobody_in_time: 'states.notInTime',
  other_number: 'states.otherNumber',
  forged: 'states.forged',
  code_not_given: 'states.unreachable',
  code_limited: 'problems.codes.pairing_code_limited',
  code_refused: 'problems.codes.pairing_code_refused',
  passkey_not_requested: 'states.passkey',
  passkey_not_shown: 'states.passkey',
  passkey_not_continued: 'states.passkey',
  passkey_failed: 'states.passkey',
  disabled: 'waits.disabled',
  quarantined: 'waits.quarantined',
};

interface CodedState {
  reason: string;
  reason_code?: string | null | undefined;
}

/** Returns in the language of the page why an account was not connected; a reason that this page does not know as the service words it. */
export function stateReasonText({ reason, reason_code: code }: CodedState): string {
  return isKnown(code) ? t(TEXTS[code]) : reason;
}

const isKnown = (code: string | null | undefined): code is StateCode => Object.hasOwn(TEXTS, code ?? '');
