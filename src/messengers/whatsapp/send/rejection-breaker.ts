import type { SendResult } from '../../messenger.ts';
import { REJECTED_IN_A_ROW } from '../failures.ts';
import type { Cooldown } from '../connect/cooldown.ts';

/** After so many different chats in a row, the cause is the account. */
const CHATS_IN_A_ROW = 5;

/**
 * Circuit breaker: begins a cool-down when WhatsApp rejects posts to several chats in a row for the moment, before it has to ask for one.
 * The post that begins it is tried again after it. Final refusals are about the post or the chats: they pause the campaign
 * (`src/sending/deliveries/pause-refused.ts`).
 */
export function createRejectionBreaker(
  cooldown: Pick<Cooldown, 'begin'>,
): (chatId: string, result: SendResult) => SendResult {
  const rejecting = new Set<string>();
  return (chatId, result) => {
    if (result.kind === 'sent') rejecting.clear();
    if (result.kind !== 'refused' || result.final) return result;
    rejecting.add(chatId);
    if (rejecting.size < CHATS_IN_A_ROW) return result;
    rejecting.clear();
    const reason = REJECTED_IN_A_ROW;
    return { kind: 'offline', reason, cooldownMs: cooldown.begin({ cause: 'refused', reason }) };
  };
}
