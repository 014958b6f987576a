import { sql } from 'kysely';
import type { Person } from './app.ts';
import type { TestDatabase } from './database.ts';
import { workspaceOf } from './workspaces.ts';

/**
 * Advances the clock to the next due attempt of the person's account: of a delivery, or of a change of one. Does nothing
 * while one is due or in progress, or while the account is disconnected or resting, which the database clock does not end.
 */
export async function skipWaiting({ db }: TestDatabase, person: Person): Promise<void> {
  await sql`
    with idle as (
      select l.* from accounts a join lanes l using (account_id)
      where a.workspace_id = ${workspaceOf(person)} and a.status = 'connected' and l.in_hand_run_id is null
    ), due as (
      select least(i.wake_at, min(greatest(i.next_send_at, i.held_until, r.not_before)) filter (where r.wanted is not null)) as at
      from idle i
      left join (select account_id, not_before, wanted::text from revisions union all select account_id, not_before, wanted from pins) r
        using (account_id)
      group by i.account_id, i.wake_at
    )
    update test_clock set shift = shift + (due.at - campanile_now()) + interval '1 millisecond'
    from due where isfinite(due.at) and due.at > campanile_now()
    returning pg_notify('campanile_lanes', ''), pg_notify('campanile_revisions', '')`.execute(db);
}
