import type { WASocket } from 'baileys';
import type { Log } from '../../../platform/log/log.ts';
import type { Node } from './node.ts';

const BATCH_SIZE = 100;
/** From the first stanza of a batch to the request for the next. */
const PAUSE_MS = 100;

interface OfflineQueue {
  log: Log;
  /** Backpressure: resolves to false while events cannot be recorded. WhatsApp then keeps them. */
  canRecord(): Promise<boolean>;
}

/**
 * Requests all stanzas that WhatsApp has queued while the account was offline. WhatsApp delivers them in batches on request, and new
 * stanzas after them; the library requests one batch only. Ends when WhatsApp reports the end of the queue.
 */
export function drainOfflineQueue(
  { ws, sendNode }: Pick<WASocket, 'ws' | 'sendNode'>,
  { log, canRecord }: OfflineQueue,
): void {
  let isDone = false;
  let timer: NodeJS.Timeout | undefined;
  async function requestBatch(): Promise<void> {
    const isReady = await canRecord();
    timer = undefined;
    if (!isReady || isDone) return;
    await sendNode({ tag: 'ib', attrs: {}, content: [{ tag: 'offline_batch', attrs: { count: String(BATCH_SIZE) } }] });
  }
  const requestLater = () =>
    setTimeout(() => {
      requestBatch().catch((error: unknown) => {
        log.debug({ err: error }, 'WhatsApp was not asked for more, it tells it at the next login');
      });
    }, PAUSE_MS);
  const stop = () => {
    isDone = true;
    clearTimeout(timer);
  };
  // During the handshake a frame is bytes.
  ws.on('frame', (frame: Node | Uint8Array) => {
    if (!isDone && 'attrs' in frame && frame.attrs['offline'] !== undefined) timer ??= requestLater();
  });
  ws.on('CB:ib,,offline', stop);
  ws.on('close', stop);
}
