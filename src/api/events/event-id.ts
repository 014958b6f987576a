import type { Cursor } from '../../workspaces/events/read-new-events.ts';

/** A client can resume for so long (contract §4, events). */
const RETENTION_MS = 24 * 3_600_000;

/** Returns the id of an event on a stream. A client that reconnects with this id (`Last-Event-ID`) receives the events after it. */
export function writeEventId({ epoch, position, at }: Cursor): string {
  return `${epoch}-${position}-${Math.floor(at.getTime() / 1_000)}`;
}

/** Undefined: no service has ever given such an id. */
export function readEventId(id: string): Cursor | undefined {
  const [, epoch, position, seconds] = /^(\d{1,9})-(\d{1,15})-(\d{1,11})$/.exec(id) ?? [];
  if (epoch === undefined) return undefined;
  return { epoch: Number(epoch), position: Number(position), at: new Date(Number(seconds) * 1_000) };
}

/** Whether everything that happened after the place is still there: it is of this ledger, and of the last day. */
export function isRetained(cursor: Cursor, head: Cursor): boolean {
  const isOfThisLedger = cursor.epoch === head.epoch && cursor.position <= head.position;
  return isOfThisLedger && head.at.getTime() - cursor.at.getTime() <= RETENTION_MS;
}
