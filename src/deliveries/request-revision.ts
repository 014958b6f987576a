import { sql } from 'kysely';
import type { Connection } from '../database/connect.ts';

/** What shall become of posts that have left. */
export type Revision = { kind: 'recall' } | { kind: 'correct' };

/**
 * Wants every delivery of these runs that has left, or may have, to be recalled or corrected, and answers in how many groups. A
 * correction takes what the run says by now. A later request replaces one that is not carried out yet; what was recalled is left
 * alone. The account's lane must be locked, and what has not been sent be cancelled before a recall.
 */
export async function requestRevision(
  trx: Connection,
  accountId: number,
  runIds: readonly number[],
  { kind }: Revision,
): Promise<number> {
  const { rows } = await sql<{ number: number }>`select nextval('revision_numbers') as number`.execute(trx);
  const number = rows[0]?.number ?? Number.NaN;
  await sql`
    insert into revisions as v (account_id, run_id, position, wanted, number, content_id)
    select d.account_id, d.run_id, d.position, ${kind}::revision_kind, ${number}::bigint, case ${kind} when 'correct' then r.content_id end
    from runs r
    join lanes l on l.account_id = r.account_id
    join deliveries d on d.account_id = r.account_id and d.run_id = r.run_id
    where r.account_id = ${accountId} and r.run_id = any(${runIds}::bigint[])
      and (d.status = 'sent' or d.uncertain or d.error like 'outcome_unknown%'
           or coalesce(l.in_hand_run_id = d.run_id and d.position <@ l.in_hand, false))
    on conflict (account_id, run_id, position) do update
    set wanted = excluded.wanted, number = excluded.number, content_id = excluded.content_id, not_before = null, attempts = 0, error = null
    where v.recalled_at is null and (excluded.wanted = 'recall' or v.wanted is distinct from 'recall')`.execute(trx);
  await sql`select pg_notify('campanile_revisions', '')`.execute(trx);
  return countGroups(trx, accountId, number);
}

async function countGroups(trx: Connection, accountId: number, number: number): Promise<number> {
  const { rows } = await sql<{ groups: number }>`
    select count(distinct d.group_id) as groups from revisions v
    -- A lookup for each, whatever the planner believes of a table that has just grown.
    cross join lateral (
      select group_id from deliveries q
      where q.account_id = v.account_id and q.run_id = v.run_id and q.position = v.position limit 1) d
    where v.account_id = ${accountId} and v.number = ${number} and v.wanted is not null`.execute(trx);
  return rows[0]?.groups ?? 0;
}
