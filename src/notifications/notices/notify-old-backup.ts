import { execute, type Connection } from '../../platform/database/statements.ts';
import { DEFAULT_MEMBERSHIP } from '../../workspaces/members/default-membership.ts';
import { BACKUP_TOO_OLD_EVENT } from '../../workspaces/events/event-types.ts';

/** When a backup should have been made a day ago, and half a day was left to try again. */
const TOO_OLD_MS = 36 * 60 * 60_000;

/**
 * Tells the administrators that the newest good backup is too old, or that there is none, in a workspace of theirs: once a day, however
 * often it is called and by however many processes.
 */
export async function notifyOldBackup(db: Connection, lastGoodAt: Date | undefined, now = new Date()): Promise<void> {
  if (lastGoodAt && now.getTime() - lastGoodAt.getTime() < TOO_OLD_MS) return;
  await execute(db)`
    insert into events (workspace_id, type, data)
    select distinct m.workspace_id, ${BACKUP_TOO_OLD_EVENT}, ${JSON.stringify({ last_good_at: lastGoodAt?.toISOString() ?? null })}::jsonb
    from users u cross join ${DEFAULT_MEMBERSHIP}
    where u.is_admin and u.deleted_at is null and u.disabled_at is null and not exists (
      select from events e
      where e.workspace_id = m.workspace_id and e.type = ${BACKUP_TOO_OLD_EVENT} and e.at > campanile_now() - interval '1 day')`;
}
