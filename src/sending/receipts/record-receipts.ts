/** What members did about posts goes into the deliveries' counters, each person once for each thing they did. Changes of chats plan a sync. */
import {
  execute,
  readRows,
  readValue,
  sql,
  type Connection,
  type Database,
} from '../../platform/database/statements.ts';
import { writeOrQuarantine } from '../accounts/quarantine-account.ts';
import { requestSyncs } from '../accounts/plan-syncs.ts';
import { lockLedgerOf, type LockedLedger } from '../accounts/store.ts';
import { isolateEach } from '../../platform/database/isolate-failures.ts';
import { recipientsOf, clearErrors, settleRuns } from '../deliveries/settle-runs.ts';
import type { Log } from '../../platform/log/log.ts';
import type { MemberEvent } from '../../messengers/messenger.ts';
import { joinParticipants } from './join-participants.ts';
import { recordVotes } from './record-votes.ts';
import type { AccountId, WorkspaceId } from '../../platform/database/schema.ts';

const FLAGS = { delivered: 1, read: 1 | 2, reacted: 4, replied: 8 } as const;

type PersonEvent = Extract<MemberEvent, { kind: keyof typeof FLAGS }>;
type ViewCountEvent = Extract<MemberEvent, { kind: 'tally' }>;
const isOfPerson = (event: MemberEvent): event is PersonEvent => event.kind in FLAGS;
type SameEvent = Extract<MemberEvent, { kind: 'same' }>;

/**
 * Records a batch of events in any order and with repeats: a known event changes nothing. A read event implies delivery. Events about
 * unknown messages and deleted accounts are skipped. A received post was sent, even if the ledger says otherwise (contract §5), but a
 * part of a post proves nothing. An event that would break a rule of the ledger is dropped, and its account is quarantined. Resolves to
 * the accounts whose events could not be recorded because of another fault in their data: record these again later. Throws when the
 * database is unavailable; the batch may then be repeated.
 */
export async function recordReceipts(
  db: Database,
  events: readonly MemberEvent[],
  log?: Log,
): Promise<ReadonlySet<number>> {
  const byAccount = Map.groupBy(events, (event) => event.accountId);
  const { left } = await isolateEach({ db, log }, 'receipts', [...byAccount], {
    idOf: ([accountId]) => accountId,
    run: ([accountId, own]) => writeOrQuarantine({ db, log }, { accountId }, () => recordOfAccount(db, accountId, own)),
  });
  return new Set(left.map(([accountId]) => accountId));
}

async function recordOfAccount(db: Database, accountId: AccountId, own: readonly MemberEvent[]): Promise<void> {
  // Nearly every batch is such a one, and one statement is a fraction of the work.
  if (own.every(isOfPerson) && (await readValue<boolean>(db)`select record_receipts(${accountId}, ${columnsOf(own)})`))
    return;
  await db.transaction().execute(async (trx) => {
    const ledger = await lockLedgerOf(trx, accountId);
    if (!ledger) return;
    const { workspaceId } = ledger;
    // First, since rows of accounts are locked before runs and deliveries.
    if (own.some((event) => event.kind === 'chats_changed')) await requestSyncs(trx, [accountId]);
    const answers = own.filter((event) => event.kind === 'answered');
    const about = own.filter(
      (event) => event.kind !== 'same' && event.kind !== 'answered' && event.kind !== 'chats_changed',
    );
    const persons = about.filter((event) => event.kind !== 'tally' && event.kind !== 'voted');
    const tallies = about.filter((event) => event.kind === 'tally');
    const votes = about.filter((event) => event.kind === 'voted');
    await proveSent(trx, workspaceId, [...persons.filter(({ isAboutPart }) => !isAboutPart), ...tallies, ...votes]);
    if (persons.length > 0) await recordPersons(trx, ledger, persons);
    if (votes.length > 0) await recordVotes(trx, ledger, votes);
    if (answers.length > 0) await recordAnswers(trx, workspaceId, answers);
    // After what was told of them under either id.
    const same = own.filter((event): event is SameEvent => event.kind === 'same');
    if (same.length > 0) {
      await joinParticipants(trx, ledger, same);
      await nameAnswers(trx, workspaceId, same);
    }
    if (tallies.length > 0) await recordTallies(trx, workspaceId, tallies);
  });
}

/** As the arguments of `record_receipts` and `record_persons`. */
const columnsOf = (events: readonly PersonEvent[]) => sql`
  ${events.map((event) => event.messageId)}::text[], ${events.map((event) => event.participant)}::text[],
  ${events.map((event) => FLAGS[event.kind])}::smallint[], ${events.map((event) => event.at)}::timestamptz[],
  ${events.map((event) => event.isProvisional ?? false)}::boolean[]`;

async function recordPersons(trx: Connection, { workspaceId, hashSeed }: LockedLedger, events: PersonEvent[]) {
  await execute(trx)`select record_persons(${workspaceId}, ${hashSeed}, ${columnsOf(events)})`;
}

/** A channel tells sums, never who or when: the largest told so far counts. Sums that it does not tell are null. */
async function recordTallies(trx: Connection, workspaceId: WorkspaceId, events: ViewCountEvent[]): Promise<void> {
  await execute(trx)`
    update deliveries d
    set views = greatest(d.views, t.views), views_seen = d.views_seen or t.views is not null,
        reactions = greatest(d.reactions, t.reactions)
    from (select message_id, max(views) as views, max(reactions) as reactions
          from unnest(${events.map((event) => event.messageId)}::text[], ${events.map((event) => event.views)}::int[],
                      ${events.map((event) => event.reactions)}::int[]) e (message_id, views, reactions)
          group by message_id) t
    cross join lateral (
      select q.ctid from deliveries q where q.workspace_id + 0 = ${workspaceId} and q.message_id = t.message_id limit 1) at
    where d.ctid = at.ctid
      and (t.views > d.views or t.reactions > d.reactions or (t.views is not null and not d.views_seen))`;
}

/**
 * Records deliveries as sent that a member received, although the ledger has them as queued, failed or cancelled: their attempt was
 * interrupted, given up, or cancelled. A delivery in hand is left to its finish, which knows the number of recipients. If that finish
 * never comes, the statement that ends the delivery records it (`deliveries/settle-runs.ts`).
 */
async function proveSent(
  trx: Connection,
  workspaceId: WorkspaceId,
  events: ReadonlyArray<Pick<PersonEvent, 'messageId' | 'at'>>,
): Promise<void> {
  const rows = await readRows<{ run_id: number }>(trx)`
    with proven as materialized (
      select d.run_id, d.position, d.status as was, min(e.at) as at, ${recipientsOf} as recipients
      from unnest(${events.map((event) => event.messageId)}::text[], ${events.map((event) => event.at)}::timestamptz[]) e (message_id, at)
      cross join lateral (
        select * from deliveries where workspace_id + 0 = ${workspaceId} and message_id = e.message_id limit 1) d
      left join lanes l on l.account_id = d.account_id
      join groups g on g.group_id = d.group_id
      where d.status <> 'sent' and not (d.status = 'queued' and coalesce(l.in_hand_run_id = d.run_id and d.position <@ l.in_hand, false))
      group by d.run_id, d.position, d.status, g.participants, g.kind
    ), told as (
      update deliveries d set status = 'sent', sent_at = p.at, not_before = null, recipients = p.recipients, error = null, error_code = null,
        error_params = null, uncertain = false
      from proven p where d.workspace_id = ${workspaceId} and d.run_id = p.run_id and d.position = p.position
    )
    update runs r set sent = r.sent + p.total, queued = r.queued - p.queued, failed = r.failed - p.failed, cancelled = r.cancelled - p.cancelled
    from (select run_id, count(*)::int as total, count(*) filter (where was = 'queued')::int as queued,
                 count(*) filter (where was = 'failed')::int as failed, count(*) filter (where was = 'cancelled')::int as cancelled
          from proven group by run_id) p
    where r.workspace_id = ${workspaceId} and r.run_id = p.run_id
    returning r.run_id`;
  const runs = rows.map((row) => ({ workspaceId, runId: row.run_id }));
  await settleRuns(trx, runs);
  await clearErrors(trx, runs);
}

export type AnswerEvent = Extract<MemberEvent, { kind: 'answered' }>;

/**
 * Records answers to review posts (docs/explanation/decisions/0108), in any order and with repeats (transactional inbox). Answers to any other post, and to one of an
 * earlier version or a request that was decided on, are dropped with their text.
 */
export async function recordAnswers(trx: Connection, workspaceId: WorkspaceId, events: readonly AnswerEvent[]) {
  const told = events.flatMap(({ messageIds, participant, number, remark, at }) =>
    messageIds.map((messageId) => ({ message_id: messageId, participant, number: number ?? null, remark, at })),
  );
  await execute(trx)`
    with shown as materialized (
      -- The few posts that wait, in place of each message that somebody answers.
      select v.campaign_id, d.message_id
      from approval_reviews v
      join approvals p on p.workspace_id = v.workspace_id and p.approval_id = v.approval_id
        and p.version = v.version and p.asked_at <= v.created_at and p.state = 'waiting'
      join runs r on r.workspace_id = v.workspace_id and r.campaign_id = v.campaign_id
      join deliveries d on d.workspace_id = r.workspace_id and d.run_id = r.run_id
      where v.workspace_id = ${workspaceId}
    )
    insert into review_answers (campaign_id, workspace_id, participant, number, remark, at)
    select s.campaign_id, ${workspaceId}::bigint, e.participant, e.number, e.remark, e.at
    from shown s
    join jsonb_to_recordset(${JSON.stringify(told)}::jsonb)
      e (message_id text, participant text, number text, remark text, at timestamptz) using (message_id)
    order by e.at
    on conflict do nothing`;
}

/** A person's number becomes known: an answer of theirs that has waited for it can be decided on. */
export async function nameAnswers(
  trx: Connection,
  workspaceId: WorkspaceId,
  pairs: ReadonlyArray<{ participant: string; alias: string }>,
): Promise<void> {
  await execute(trx)`
    update review_answers a set number = substring(p.alias from '^[0-9]+')
    from unnest(${pairs.map((pair) => pair.participant)}::text[], ${pairs.map((pair) => pair.alias)}::text[]) p (participant, alias)
    where a.workspace_id = ${workspaceId} and a.number is null and a.participant = p.participant`;
}
