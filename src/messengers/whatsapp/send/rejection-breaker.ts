import type { SendResult } from '../../messenger.ts';
import { REJECTED_IN_A_ROW } from '../failures.ts';
import type { Cooldown } from '../connect/cooldown.ts';

/** After so many different chats in a row, the cause is the account. */
const CHATS_IN_A_ROW = 5;
/** After so many different chats in a row with one and the same final refusal, the cause may be the account, or the post. */
const SAME_REFUSALS_IN_A_ROW = 3;

/**
 * Circuit breaker: begins a cool-down when WhatsApp rejects posts to several chats in a row, before it has to ask for one, and before all
 * deliveries of a campaign have failed. The post that begins it is tried again after it.
 */
export function createRejectionBreaker(
  cooldown: Pick<Cooldown, 'begin'>,
): (chatId: string, result: SendResult) => SendResult {
  const rejecting = new Set<string>();
  const refusing = new Set<string>();
  let lastReason: string | undefined;

  function open(reason: string): SendResult {
    rejecting.clear();
    refusing.clear();
    return { kind: 'offline', reason, cooldownMs: cooldown.begin({ cause: 'refused', reason }) };
  }

  return (chatId, result) => {
    if (result.kind === 'sent') {
      rejecting.clear();
      refusing.clear();
    }
    if (result.kind !== 'refused') return result;
    if (!result.final) {
      rejecting.add(chatId);
      return rejecting.size < CHATS_IN_A_ROW ? result : open(REJECTED_IN_A_ROW);
    }
    if (result.reason !== lastReason) refusing.clear();
    lastReason = result.reason;
    refusing.add(chatId);
    return refusing.size < SAME_REFUSALS_IN_A_ROW ? result : open(`${REJECTED_IN_A_ROW}: ${result.reason}`);
  };
}
