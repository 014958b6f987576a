import { sql } from 'kysely';
import type { Connection } from '../../platform/database/connect.ts';
import type { SendResult } from '../../messengers/messenger.ts';
import type { Turn } from './claim-turns.ts';
import { findInSent } from './find-in-sent.ts';

/** Records how many members the posts of a turn left out, because the messaging application tells no device of theirs. */
export async function recordWithoutDevices(db: Connection, turn: Turn, results: readonly SendResult[]): Promise<void> {
  const left = findInSent(turn, results, ({ withoutDevices }) => withoutDevices || undefined);
  if (left.length === 0) return;
  const { workspaceId, runId } = turn;
  await sql`
    insert into members_without_devices (workspace_id, run_id, position, members)
    select ${workspaceId}, ${runId}, position, members
    from unnest(${left.map(({ position }) => position)}::int[], ${left.map(({ found }) => found)}::int[]) i (position, members)
    on conflict (workspace_id, run_id, position) do update set members = excluded.members`.execute(db);
}
