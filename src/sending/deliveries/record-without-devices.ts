import { sql } from 'kysely';
import type { Connection } from '../../platform/database/connect.ts';
import type { SendResult } from '../../messengers/messenger.ts';
import type { Turn } from './claim-turns.ts';

/** Records how many members the posts of a turn left out, because the messaging application tells no device of theirs. */
export async function recordWithoutDevices(
  db: Connection,
  { workspaceId, runId, deliveries }: Turn,
  results: readonly SendResult[],
): Promise<void> {
  const left = results.flatMap((result, index) => {
    const position = deliveries[index]?.position;
    if (position === undefined || result.kind !== 'sent' || !result.withoutDevices) return [];
    return [{ position, members: result.withoutDevices }];
  });
  if (left.length === 0) return;
  await sql`
    insert into members_without_devices (workspace_id, run_id, position, members)
    select ${workspaceId}, ${runId}, position, members
    from unnest(${left.map(({ position }) => position)}::int[], ${left.map(({ members }) => members)}::int[]) i (position, members)
    on conflict (workspace_id, run_id, position) do update set members = excluded.members`.execute(db);
}
