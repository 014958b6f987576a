import { t } from '../i18n/translate.ts';
import type { PlainKey } from '../i18n/translate.ts';

/** Why an account was not connected, by how the service says it; the first that matches counts. */
const REASONS: ReadonlyArray<readonly [RegExp, PlainKey]> = [
  [/connection to WhatsApp is being made|asked for a new connection|session failed/, 'states.connecting'],
  [/cannot be reached|connection to WhatsApp broke|not available just now|gave no code/, 'states.unreachable'],
  [/could not be reached\. Remove this device/, 'states.removeByHand'],
  [/link was removed|WhatsApp has ended the link|link to WhatsApp has ended/, 'waits.logged_out'],
  [/banned this number for a while: it has written/, 'states.banned.strangers'],
  [/banned this number for a while: too many people have blocked/, 'states.banned.blocked'],
  [/banned this number for a while: it has made/, 'states.banned.groups'],
  [/banned this number for a while: it has sent the same/, 'states.banned.sameMessage'],
  [/banned this number for a while: it has sent too much/, 'states.banned.lists'],
  [/banned this number for a while/, 'states.banned.other'],
  [/banned this number/, 'waits.banned'],
  [/locked this number/, 'waits.locked'],
  [/does not allow linked devices/, 'states.phoneTooOld'],
  [/accepts this version/, 'waits.version_refused'],
  [/used from somewhere else/, 'waits.used_elsewhere'],
  [/asks for less haste/, 'waits.rate_limited'],
  [/restricted this account/, 'waits.restricted'],
  [/refuses one post after the other/, 'waits.refused'],
  [/refuses the login/, 'states.loginRefused'],
  [/No phone was linked in time/, 'states.notInTime'],
  [/has the number \+/, 'states.otherNumber'],
  [/signature of the phone/, 'states.forged'],
  [/Linking was interrupted|could not be linked/, 'states.interrupted'],
  [/passkey/, 'states.passkey'],
  [/gives no more codes/, 'problems.codes.pairing_code_limited'],
  [/gives no code for this number/, 'problems.codes.pairing_code_refused'],
  [/encryption key/, 'states.keyLost'],
  [/disabled the owner/, 'waits.disabled'],
  [/records of sent posts contradict/, 'waits.quarantined'],
];

/** Returns in the language of the page why an account was not connected; a reason that this page does not know as the service words it. */
export function stateReasonText(reason: string): string {
  const known = REASONS.find(([pattern]) => pattern.test(reason));
  return known ? t(known[1]) : reason;
}
