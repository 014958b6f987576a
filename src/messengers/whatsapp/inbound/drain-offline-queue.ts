import type { BinaryNode, WASocket } from 'baileys';
import type { Log } from '../../../platform/log/log.ts';
import type { EmitMemberEvents } from './member-event-emitter.ts';

/** How much is asked for at a time, and how long after the first of it has come more is asked for. */
const BATCH = 100;
const PAUSE_MS = 100;

/**
 * Has WhatsApp tell all that it has kept while nobody was connected. It hands out as much as it is asked for, and what happens now
 * after that; the client asks once. How much there is it only estimates: it says when it was all. While nothing can be recorded,
 * nothing is asked for: it is kept better there than here.
 */
export function drainOfflineQueue(
  { ws, sendNode }: Pick<WASocket, 'ws' | 'sendNode'>,
  { log, emit }: { log: Log; emit: EmitMemberEvents },
): void {
  let isOver = false;
  let asking: NodeJS.Timeout | undefined;
  async function ask(): Promise<void> {
    const isRecorded = await emit([]);
    asking = undefined;
    if (!isRecorded || isOver) return;
    await sendNode({ tag: 'ib', attrs: {}, content: [{ tag: 'offline_batch', attrs: { count: String(BATCH) } }] });
  }
  const askLater = () =>
    setTimeout(() => {
      ask().catch((error: unknown) => {
        log.debug({ err: error }, 'WhatsApp was not asked for more, it tells it at the next login');
      });
    }, PAUSE_MS);
  const stop = () => {
    isOver = true;
    clearTimeout(asking);
  };
  // During the handshake it is bytes.
  ws.on('frame', (stanza: BinaryNode | Uint8Array) => {
    if (!isOver && 'attrs' in stanza && stanza.attrs['offline'] !== undefined) asking ??= askLater();
  });
  ws.on('CB:ib,,offline', stop);
  ws.on('close', stop);
}
