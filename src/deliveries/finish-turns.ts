import { sql } from 'kysely';
import type { Connection, Database } from '../database/connect.ts';
import { collectEffects, type Effect, type Effects, type FinishedTurn, type Stretch } from './effects.ts';
import { clearErrors, settleRuns, type RunKey } from './settle-runs.ts';

/**
 * Writes down what turns came to: deliveries, run, campaign and lane in one transaction, so that a run is completed by the very
 * finish that leaves nothing queued, once. A turn whose number has moved on is fenced: of it only what was sent is taken, because
 * it is true, and the lane is left to its new holder. Of an account that is gone nothing is written down. A repeat of the same
 * finish changes nothing.
 */
export async function finishTurns(db: Database, finished: readonly FinishedTurn[]): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const locked = await lockTurns(trx, finished);
    const living = finished.filter(({ turn }) => locked.has(turn.accountId));
    if (living.length === 0) return;
    const mine = living.filter(({ turn }) => locked.get(turn.accountId));
    const effects = collectEffects(living, (turn) => locked.get(turn.accountId) ?? false);
    const { changed, ended } = await writeOutcomes(trx, effects, mine);
    if (changed < effects.recipients.length + effects.others.length) await writeLateTruth(trx, effects);
    await settleRuns(trx, ended);
  });
}

/** Locks the lanes in order of account, then says of each that is there whether the turn is still the one that was claimed. */
async function lockTurns(trx: Connection, finished: readonly FinishedTurn[]): Promise<Map<number, boolean>> {
  const { rows } = await sql<{ account_id: number; held: boolean }>`
    select l.account_id, l.turn = i.turn and l.in_hand_run_id is not null as held
    from unnest(${finished.map(({ turn }) => turn.accountId)}::bigint[], ${finished.map(({ turn }) => turn.turn)}::bigint[])
         i (account_id, turn)
    join lanes l on l.account_id = i.account_id
    order by l.account_id for no key update of l`.execute(trx);
  return new Map(rows.map((row) => [row.account_id, row.held]));
}

async function writeOutcomes(
  trx: Connection,
  { sent, recipients, others }: Effects,
  held: readonly FinishedTurn[],
): Promise<{ changed: number; ended: RunKey[] }> {
  const { rows } = await sql<{ changed: number; ended: RunKey[] | null }>`
    with lane as materialized (
      select * from unnest(${held.map(({ turn }) => turn.accountId)}::bigint[], ${held.map(({ turn }) => turn.turn)}::bigint[],
                           ${held.map((one) => one.gapMs)}::float8[], ${held.map(restOf)}::float8[])
        l (account_id, turn, gap_ms, rest_ms)
    ), sent as (
      update deliveries d
      set status = 'sent', sent_at = campanile_now(), not_before = null, attempts = d.attempts + 1,
          recipients = (${recipients}::int[])[o.skipped + d.position - o.first + 1], error = null, uncertain = false
      from ${stretches(sent)} o
      where d.account_id = o.account_id and d.run_id = o.run_id and d.position between o.first and o.last and d.status = 'queued'
      returning d.account_id, d.run_id, d.position, d.status
    ), ${others.length > 0 ? sql`other as (${updateOthers(others)}),` : sql``} done as (
      select * from sent ${others.length > 0 ? sql`union all select * from other` : sql``}
    ), run as (
      update runs r
      set queued = r.queued - t.sent - t.failed, sent = r.sent + t.sent, failed = r.failed + t.failed,
          progress_at = case when t.sent > 0 then campanile_now() else r.progress_at end,
          next_position = case when l.turn is null then r.next_position else greatest(r.next_position, t.last + 1) end,
          served_turn = coalesce(l.turn, r.served_turn)
      from (select account_id, run_id, max(position) as last, count(*) filter (where status = 'sent')::int as sent,
                   count(*) filter (where status = 'failed')::int as failed
            from done group by account_id, run_id) t
      left join lane l on l.account_id = t.account_id
      where r.account_id = t.account_id and r.run_id = t.run_id
      returning r.account_id, r.run_id, r.queued
    ), unparked as (
      update lanes l
      set in_hand_run_id = null, in_hand = null,
          next_send_at = case when h.gap_ms > 0 then campanile_now() + h.gap_ms * interval '1 millisecond' else l.next_send_at end,
          held_until = case when h.rest_ms > 0 then greatest(l.held_until, campanile_now() + h.rest_ms * interval '1 millisecond')
                            else l.held_until end,
          wake_at = greatest(campanile_now() + greatest(h.gap_ms, h.rest_ms) * interval '1 millisecond', l.held_until)
      from lane h where l.account_id = h.account_id
    )
    select (select count(*) from done)::int as changed,
           (select jsonb_agg(jsonb_build_object('accountId', account_id, 'runId', run_id)) from run where queued = 0) as ended`.execute(
    trx,
  );
  return { changed: rows[0]?.changed ?? 0, ended: rows[0]?.ended ?? [] };
}

/** A part of its own, since to plan it costs something and it is seldom needed. */
function updateOthers(others: readonly Effect[]) {
  return sql`
    update deliveries d
    set status = case o.status when 'retry' then 'queued' else o.status end::delivery_status,
        not_before = case when o.status = 'retry' then campanile_now() + o.wait_ms * interval '1 millisecond' end,
        attempts = d.attempts + o.tries, error = o.error, uncertain = o.uncertain
    from unnest(${others.map((one) => one.accountId)}::bigint[], ${others.map((one) => one.runId)}::bigint[],
                ${others.map((one) => one.position)}::int[], ${others.map((one) => one.status)}::text[],
                ${others.map((one) => one.waitMs)}::float8[], ${others.map((one) => one.tries)}::smallint[],
                ${others.map((one) => one.error)}::text[], ${others.map((one) => one.uncertain)}::boolean[])
         o (account_id, run_id, position, status, wait_ms, tries, error, uncertain)
    -- A lookup for each, whatever the planner believes of a table that has just grown.
    cross join lateral (
      select q.ctid from deliveries q
      where q.account_id = o.account_id and q.run_id = o.run_id and q.position = o.position limit 1) at
    where d.ctid = at.ctid and d.status = 'queued'
    returning d.account_id, d.run_id, d.position, d.status`;
}

function restOf({ outcomes }: FinishedTurn): number {
  return outcomes.reduce((rest, outcome) => (outcome.kind === 'snooze' ? Math.max(rest, outcome.restMs) : rest), 0);
}

/** What turned out to have been sent although it had been cancelled, or given up, meanwhile. The truth wins. */
async function writeLateTruth(trx: Connection, { sent, recipients }: Effects): Promise<void> {
  if (sent.length === 0) return;
  await sql`
    with late as materialized (
      select d.account_id, d.run_id, d.position, d.status as was, (${recipients}::int[])[o.skipped + d.position - o.first + 1] as recipients
      from ${stretches(sent)} o
      join deliveries d on d.account_id = o.account_id and d.run_id = o.run_id and d.position between o.first and o.last
      where d.status in ('cancelled', 'failed')
    ), told as (
      update deliveries d set status = 'sent', sent_at = campanile_now(), recipients = late.recipients, error = null
      from late where d.account_id = late.account_id and d.run_id = late.run_id and d.position = late.position
    )
    update runs r set sent = r.sent + t.cancelled + t.failed, cancelled = r.cancelled - t.cancelled, failed = r.failed - t.failed
    from (select account_id, run_id, count(*) filter (where was = 'cancelled')::int as cancelled,
                 count(*) filter (where was = 'failed')::int as failed
          from late group by account_id, run_id) t
    where r.account_id = t.account_id and r.run_id = t.run_id`.execute(trx);
  await clearErrors(trx, sent);
}

/** Stretches as a table. */
function stretches(sent: readonly Stretch[]) {
  return sql`(
    select * from unnest(${sent.map((one) => one.accountId)}::bigint[], ${sent.map((one) => one.runId)}::bigint[],
                         ${sent.map((one) => one.first)}::int[], ${sent.map((one) => one.last)}::int[],
                         ${sent.map((one) => one.offset)}::int[]) s (account_id, run_id, first, last, skipped))`;
}
