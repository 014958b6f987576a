/**
 * What a phone tells a device of earlier conversations, right after it was linked. The client needs it for the pairs of numbers in it,
 * without which it cannot decrypt what is said in some groups, and stores these; nothing else of it is kept.
 */
import { proto, type SignalKeyStore, type WASocket } from 'baileys';

/** As it is sent, compressed. Opened, it is in memory as a whole for a moment, some 30 times as large: that is 12,000 messages. */
const LARGEST_PART = 1024 * 1024;

/** The years before and the statuses stay where they are; so does what is too large. */
export function acceptsHistorySync(part: proto.Message.IHistorySyncNotification): boolean {
  const { syncType, fileLength, initialHistBootstrapInlinePayload: inline } = part;
  const { FULL, INITIAL_STATUS_V3 } = proto.Message.HistorySyncType;
  const size = Math.max(Number(fileLength ?? 0), inline?.length ?? 0);
  return syncType !== FULL && syncType !== INITIAL_STATUS_V3 && size <= LARGEST_PART;
}

/** By then the client has stored the pairs. It would keep the rest in memory until it tells it, and nobody listens. */
export function forgetHistory({ ev }: Pick<WASocket, 'ev'>): void {
  const { emit } = ev;
  ev.emit = (event, about) => event === 'messaging-history.set' || emit(event, about);
}

/** The same store, which keeps no tokens: they are for writing to people in private, and would tell with whom the owner does. */
export function withoutTokens(keys: SignalKeyStore): SignalKeyStore {
  return {
    ...keys,
    async set({ tctoken, ...changes }) {
      if (!tctoken || Object.keys(changes).length > 0) await keys.set(changes);
    },
  };
}
