import { call } from '../api/call.ts';
import type { WebhookTry } from '../api/operations.ts';

const POLL_EVERY_MS = 500;
/** A try ends after 15 s at the latest, and may not begin at once. */
const TIMEOUT_MS = 25_000;
const READ_LIMIT = 50;

/** Sends a test. Resolves to what came of it; undefined where nothing has within 25 s, since something else is told first. */
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
