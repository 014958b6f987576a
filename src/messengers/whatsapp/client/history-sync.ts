/**
 * History sync: a phone sends its earlier conversations to a device right after it was linked. The library stores the pairs of LIDs and
 * phone numbers in them, which it needs to decrypt messages in some groups, and privacy tokens. Nothing else is stored.
 */
import { proto, type WASocket } from 'baileys';

/** Compressed. A part is decompressed in memory, to some 30 times its size: 12,000 messages. */
const LARGEST_PART = 1024 * 1024;

/** Rejects the full history, statuses, and parts that are too large. */
export function acceptsHistorySync(part: proto.Message.IHistorySyncNotification): boolean {
  const { syncType, fileLength, initialHistBootstrapInlinePayload: inline } = part;
  const { FULL, INITIAL_STATUS_V3 } = proto.Message.HistorySyncType;
  const size = Math.max(Number(fileLength ?? 0), inline?.length ?? 0);
  return syncType !== FULL && syncType !== INITIAL_STATUS_V3 && size <= LARGEST_PART;
}

/** The library has stored the pairs when it emits a part. Without a listener, the event buffer would keep the part in memory. */
export function dropHistory({ ev }: Pick<WASocket, 'ev'>): void {
  const { emit } = ev;
  ev.emit = (event, data) => event === 'messaging-history.set' || emit(event, data);
}
