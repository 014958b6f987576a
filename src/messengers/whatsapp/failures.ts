/**
 * Classifies WhatsApp's codes as final or temporary. Codes of connections are those of WhatsApp Web's stream errors and failures;
 * codes of posts and queries are the `error` attributes of their answers.
 */

import { rejectionCodeOf, type CloseReason } from './client/errors.ts';
import { STATE_REASONS, wordState, type StateCode } from '../../platform/errors/account-states.ts';
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

/** By the `code` of a temporary ban, as whatsmeow lists them. */
const BANS: Readonly<Record<string, StateCode>> = {
  101: 'banned_strangers',
  102: 'banned_blocked',
  103: 'banned_groups',
  104: 'banned_same_message',
  106: 'banned_lists',
};

/** Whether WhatsApp rejected the version or the user agent of the client. */
export function isOutdated(code: number | undefined): boolean {
  return code === 405 || code === 409;
}

export function classifyEnding(code: number | undefined, attrs: CloseReason['attrs'] = {}): Ending {
  switch (code) {
    case 515:
      return { kind: 'again', atOnce: true, reason: STATE_REASONS.connection_requested };
    case 401:
      return { kind: 'over', reason: STATE_REASONS.link_removed };
    case 402:
      return {
        kind: 'cooldown',
        times: 60,
        cause: 'banned',
        reason: STATE_REASONS[BANS[attrs['code'] ?? ''] ?? 'banned_for_a_while'],
        forMs: Number(attrs['expire']) > 0 ? Number(attrs['expire']) * 1_000 : undefined,
      };
    case 403:
      return { kind: 'over', reason: STATE_REASONS.locked };
    case 406:
      return { kind: 'over', reason: STATE_REASONS.banned };
    case 411:
      return { kind: 'over', reason: STATE_REASONS.phone_too_old };
    case 405:
    case 409:
      return { kind: 'cooldown', times: 15, cause: undefined, reason: STATE_REASONS.version_refused };
    case 440:
      return { kind: 'cooldown', times: 1, cause: 'used_elsewhere', reason: STATE_REASONS.used_elsewhere };
    case 429:
      return { kind: 'cooldown', times: 1, cause: 'rate_limited', reason: STATE_REASONS.rate_limited };
    case 503:
      return { kind: 'again', atOnce: false, reason: STATE_REASONS.not_available };
    case 516:
      return { kind: 'over', reason: STATE_REASONS.link_ended };
    default:
      // A refused login: the next one would be refused, too. 400, 413, 414, 415, 418, 463 and 501 were seen.
      if (attrs['reason'] !== undefined && code !== 500)
        return { kind: 'cooldown', times: 15, cause: undefined, reason: wordState('login_refused', code ?? 0) };
      return { kind: 'again', atOnce: false, reason: STATE_REASONS.connection_broke };
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
      return { kind: 'cooldown', cause: 'rate_limited', reason: STATE_REASONS.rate_limited };
    case STALE_ADDRESSING:
    case STALE_SESSION:
      return { kind: 'passing', ...describeFailure('members_outdated', { code }) };
    case REACHOUT_LOCKED:
      return { kind: 'cooldown', cause: 'restricted', reason: STATE_REASONS.restricted };
    case 475:
      return { kind: 'passing', ...describeFailure('chats_limited', { code }) };
    case 550:
      return { kind: 'final', ...describeFailure('recall_of_others_refused', { code }) };
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
