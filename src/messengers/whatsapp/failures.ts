/**
 * Classifies WhatsApp's codes as final or temporary. Codes of connections are those of WhatsApp Web's stream errors and failures;
 * codes of posts and queries are the `error` attributes of their answers.
 */

import { rejectionCodeOf, type CloseReason } from './client/errors.ts';
import { describeFailure, type Failure } from '../../platform/errors/failures.ts';
import type { PauseCause } from '../messenger.ts';

/** What to do when a connection has ended. */
export type Ending =
  /** Connect again, at once or with exponential backoff. */
  | { kind: 'again'; atOnce: boolean; reason: string }
  /** Connect again much later, after so many times the usual cool-down: sooner would not help, or do harm. */
  | {
      kind: 'cooldown';
      times: number;
      cause: PauseCause | undefined;
      reason: string;
      /** In milliseconds, if WhatsApp says how long. */
      forMs?: number | undefined;
    }
  /** Never connect with these credentials again. */
  | { kind: 'over'; reason: string };

export const VERSION_REJECTED = 'WhatsApp no longer accepts this version of its client: Campanile has to be updated';
const LESS_HASTE = 'WhatsApp asks for less haste';
export const RESTRICTED = 'WhatsApp has restricted this account for a while';
export const NEW_CHATS_LOCKED = describeFailure('chats_locked').reason;
export const REJECTED_IN_A_ROW = 'WhatsApp refuses one post after the other';

/** By the `code` of a temporary ban, as whatsmeow lists them. */
const BAN_REASONS: Readonly<Record<string, string>> = {
  101: ': it has written to too many people who do not have it in their address book',
  102: ': too many people have blocked it',
  103: ': it has made too many groups with people who do not have it in their address book',
  104: ': it has sent the same message to too many people',
  106: ': it has sent too much to broadcast lists',
};

/** Whether WhatsApp rejected the version or the user agent of the client. */
export function isOutdated(code: number | undefined): boolean {
  return code === 405 || code === 409;
}

export function classifyEnding(code: number | undefined, attrs: CloseReason['attrs'] = {}): Ending {
  switch (code) {
    case 515:
      return { kind: 'again', atOnce: true, reason: 'WhatsApp asked for a new connection' };
    case 401:
      return {
        kind: 'over',
        reason: 'The link was removed on the phone, or ended by WhatsApp: link the account again',
      };
    case 402:
      return {
        kind: 'cooldown',
        times: 60,
        cause: 'banned',
        reason: `WhatsApp has banned this number for a while${BAN_REASONS[attrs['code'] ?? ''] ?? ''}`,
        forMs: Number(attrs['expire']) > 0 ? Number(attrs['expire']) * 1_000 : undefined,
      };
    case 403:
      return {
        kind: 'over',
        reason: 'WhatsApp has locked this number: look into WhatsApp on the phone, which says why',
      };
    case 406:
      return { kind: 'over', reason: 'WhatsApp has banned this number' };
    case 411:
      return {
        kind: 'over',
        reason: 'The phone does not allow linked devices: update WhatsApp there, then link again',
      };
    case 405:
    case 409:
      return {
        kind: 'cooldown',
        times: 15,
        cause: undefined,
        reason: VERSION_REJECTED,
      };
    case 440:
      return {
        kind: 'cooldown',
        times: 1,
        cause: 'used_elsewhere',
        reason: 'The same link is used from somewhere else, which took the connection over',
      };
    case 429:
      return { kind: 'cooldown', times: 1, cause: 'rate_limited', reason: LESS_HASTE };
    case 503:
      return { kind: 'again', atOnce: false, reason: 'WhatsApp is not available just now' };
    case 516:
      return { kind: 'over', reason: 'WhatsApp has ended the link: link the account again' };
    default:
      // A refused login: the next one would be refused, too. 400, 413, 414, 415, 418, 463 and 501 were seen.
      if (attrs['reason'] !== undefined && code !== 500)
        return {
          kind: 'cooldown',
          times: 15,
          cause: undefined,
          reason: `WhatsApp refuses the login (${code}): it is tried again, less often each time`,
        };
      return { kind: 'again', atOnce: false, reason: 'The connection to WhatsApp broke' };
  }
}

/** The group addresses its members in another way now, for instance by LID. */
export const STALE_ADDRESSING = 421;
/** A device is gone, or its session is stale. */
export const STALE_SESSION = 479;
/** The account may not begin new private chats. In answer to a post it means the post; elsewhere it says nothing about groups and channels. */
export const REACHOUT_LOCKED = 463;

export type Rejection =
  | (Failure & {
      kind: 'final';
      /** Default is `false`. If this is true, it is about the place of this account in the chat, and not about the post. */
      isAccessDenied?: boolean;
    })
  | (Failure & { kind: 'passing' })
  /** The whole account needs a cool-down. */
  | { kind: 'cooldown'; cause: PauseCause; reason: string };

/** Classifies the code in the answer to a post or a query. An unknown code is temporary: attempts are limited anyway. */
export function classifyRejection(code: number): Rejection {
  switch (code) {
    case 400:
    case 405:
    case 406:
      return { kind: 'final', ...describeFailure('post_refused', { code }) };
    case 401:
      return { kind: 'final', ...describeFailure('not_a_member'), isAccessDenied: true };
    case 403:
      return { kind: 'final', ...describeFailure('may_not_post'), isAccessDenied: true };
    case 404:
    case 410:
      return { kind: 'final', ...describeFailure('group_gone'), isAccessDenied: true };
    case 429:
      return { kind: 'cooldown', cause: 'rate_limited', reason: LESS_HASTE };
    case STALE_ADDRESSING:
    case STALE_SESSION:
      return { kind: 'passing', ...describeFailure('members_outdated', { code }) };
    case REACHOUT_LOCKED:
      return { kind: 'cooldown', cause: 'restricted', reason: RESTRICTED };
    case 475:
      return { kind: 'passing', ...describeFailure('chats_limited', { code }) };
    case 550:
      return { kind: 'final', reason: 'WhatsApp does not let admins delete posts of others here (550)' };
    case 551:
      return { kind: 'passing', ...describeFailure('addressing_refused', { code }) };
    default:
      return { kind: 'passing', ...describeFailure('refused_for_now', { code }) };
  }
}

/** Whether a query about several people was rejected because of some of them: it may succeed for the others. */
export function isPartialRejection(error: unknown): boolean {
  const code = rejectionCodeOf(error);
  return code !== undefined && [400, 404, 406, 410].includes(code);
}
