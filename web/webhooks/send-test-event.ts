import { call } from '../api/call.ts';
import type { WebhookTry } from '../api/operations.ts';

const POLL_EVERY_MS = 500;
/** An attempt ends after at most 15 s and may start late. */
const TIMEOUT_MS = 25_000;
const READ_LIMIT = 50;

/** Sends a test event. Resolves to its attempt; undefined if there is none within 25 s, because other events are ahead. */
export async function sendTestEvent(webhookId: string, signal: AbortSignal): Promise<WebhookTry | undefined> {
  const { message_id: messageId } = await call('venom/test-webhook', { webhook_id: webhookId }, { signal });
  const deadlineMs = performance.now() + TIMEOUT_MS;
  while (performance.now() < deadlineMs) {
    const { tries } = await call('venom/list-webhook-tries', { webhook_id: webhookId, limit: READ_LIMIT }, { signal });
    const found = tries.find((one) => one.message_id === messageId);
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, POLL_EVERY_MS));
  }
  return undefined;
}
