import { readRows, type Connection } from '../../platform/database/statements.ts';
import type { WorkspaceId } from '../../platform/database/schema.ts';
import type { WorkspaceEvent } from './read-events.ts';

/** A position in the event log. Events after it are kept for at least a day from `at` on. */
export interface Cursor {
  /** Another one with each release of a ledger that was restored or copied: places of before mean nothing then. */
  epoch: number;
  position: number;
  /** By the database's clock. */
  at: Date;
}

/** A workspace whose events are wanted, and the position after which; undefined: none yet. */
export interface Wanted {
  workspaceId: WorkspaceId;
  after: number | undefined;
}

export interface NewEvents {
  /** The end of all that can be read. */
  head: Cursor;
  /**
   * Returns the new events of a wanted workspace in order, and the position up to which they are complete: the head, unless there are too
   * many.
   */
  of(workspaceId: WorkspaceId): { events: WorkspaceEvent[]; upTo: Cursor };
}

export interface PageLimits {
  /** Events of one workspace. */
  page: number;
  /** Of all together. */
  most: number;
}

type Row = { epoch: number; head: number; now: Date; workspaceId: WorkspaceId } & (
  | WorkspaceEvent
  | { [Field in keyof WorkspaceEvent]: null }
);

/** Reads the events of many workspaces, each after its own position: one statement with one snapshot, and no more rows than the limits. */
export async function readNewEvents(
  db: Connection,
  wanted: readonly Wanted[],
  { types, page, most }: PageLimits & { types: readonly string[] },
): Promise<NewEvents> {
  const asked = wanted.filter((one) => one.after !== undefined);
  const rows = await readRows<Row>(db)`
    select l.number >> 32 as epoch, s.position as head, campanile_now() as now, e.*
    from event_sequence s cross join ledger l
    left join lateral (
      select e.* from unnest(${asked.map((one) => one.workspaceId)}::bigint[], ${asked.map((one) => one.after)}::bigint[]) w (workspace_id, after)
      cross join lateral (
        select e.workspace_id as "workspaceId", e.event_id as "eventId", e.position, e.message_id as "messageId", e.type, e.at, e.data
        from events e where e.workspace_id = w.workspace_id and e.position > w.after and e.type = any(${types}::text[])
        order by e.position limit ${page}
      ) e
      where w.after < s.position
      order by e.position limit ${most}
    ) e on true`;
  const [first] = rows;
  if (!first) throw new Error('event_sequence has no row');
  const head: Cursor = { epoch: first.epoch, position: first.head, at: first.now };
  const found = rows.filter((row) => row.eventId !== null);
  const byWorkspace = Map.groupBy(found, (row) => row.workspaceId);
  const cursorOf = ({ position, at }: WorkspaceEvent): Cursor => ({ epoch: head.epoch, position, at });
  const last = found.at(-1);
  // They are in order over all, so that nothing is missing up to the last one.
  const end = last && found.length >= most ? cursorOf(last) : head;
  return {
    head,
    of(workspaceId) {
      const events = byWorkspace.get(workspaceId) ?? [];
      const newest = events.at(-1);
      return { events, upTo: newest && events.length >= page ? cursorOf(newest) : end };
    },
  };
}
