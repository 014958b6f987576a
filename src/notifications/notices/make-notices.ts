import { execute, readColumn, readOne, readValue, sql, type RawBuilder } from '../../platform/database/statements.ts';
import type { Connection } from '../../platform/database/statements.ts';
import { inSavepoint } from '../../platform/database/in-savepoint.ts';
import { isolateStatement, ownedBy, type Owners } from '../../platform/database/isolate-statement.ts';
import { readQuarantined, type QuarantineDeps } from '../../platform/database/quarantine.ts';
import { defaultPreferences, KIND_RULES, NOTICE_KINDS } from './kinds.ts';

const BATCH = 500;
/** A person has at most so many; the oldest go first. */
export const NOTICES_LIMIT = 1_000;
/** A notice of an older event appears in the dashboard only. */
const NEWS_HOURS = 24;

/** Must match the predicate of the index events_noticed, which serves only this query. */
const EVENT_LIST = sql.raw(NOTICE_KINDS.map((kind) => `'${KIND_RULES[kind].event}'`).join(', '));
const KIND_ROWS = sql.join(
  NOTICE_KINDS.map((kind): RawBuilder<unknown> => {
    const { event, path = null, isForAdministrators = false, isForAsker = false } = KIND_RULES[kind];
    const { browser, email } = defaultPreferences(kind);
    return sql`(${kind}::text, ${event}::text, ${path}::jsonpath, ${isForAdministrators}::boolean, ${isForAsker}::boolean, ${browser}::boolean, ${email}::boolean)`;
  }),
);

/**
 * Creates notices from the events since the last run, for each member of the event's workspace who may act on them (managers and the
 * owner; of a decision the person who asked; of the installation its administrators), and queues them for the member's chosen channels. By e-mail only with a mail server, and only to verified addresses. One process at a time: a process that finds the lock taken
 * returns at once. Returns whether there may be more. Poison message: a workspace whose notices fail is left out, and its missed notices
 * are created when it succeeds again.
 */
export async function makeNotices(deps: QuarantineDeps, { hasMail }: { hasMail: boolean }): Promise<boolean> {
  const { due } = await readQuarantined(deps.db, 'notices');
  return deps.db.transaction().execute(async (trx) => {
    const after = await readValue<number>(trx)`select position from notice_reader for update skip locked`;
    if (after === undefined) return false;
    const { last, count } = await readOne<{ last: number | null; count: number }>(trx)`
      select max(position) as last, count(*) as count from (
        select position from events where position > ${after} and type in (${EVENT_LIST}) order by position limit ${BATCH}) e`;
    if (last === null && due.size === 0) return false;
    const span = { after, to: last ?? after };
    await isolateStatement(deps, 'notices', {
      findOwners: async () => [...(await findOwners(trx, span)), ...due],
      run: (owners) =>
        inSavepoint(trx, async () => removeTooMany(trx, await insertNotices(trx, { ...span, owners }, hasMail))),
    });
    if (last === null) return false;
    await execute(trx)`update notice_reader set position = ${last}`;
    return count === BATCH;
  });
}

/** The condition that events without notices wait. */
export function hasNewNotices(): RawBuilder<boolean> {
  return sql`exists (
    select from events where position > (select position from notice_reader) and type in (${EVENT_LIST}))`;
}

interface Span {
  after: number;
  to: number;
}

async function findOwners(trx: Connection, { after, to }: Span): Promise<number[]> {
  return readColumn<number>(trx)`
    select distinct workspace_id as id from events
    where position > ${after} and position <= ${to} and type in (${EVENT_LIST})`;
}

/** Events up to this long before the quarantine may have no notice yet. */
const MISSED_BEFORE = sql`interval '1 hour'`;

/** The events of a span, and earlier events of `wanted` workspaces that were in quarantine. An event with a notice gets no other one. */
function isInSpan({ after, to, owners }: Span & { owners: Owners }): RawBuilder<boolean> {
  const isNew = sql<boolean>`e.position > ${after} and e.position <= ${to}`;
  if (!owners.wanted) return isNew;
  return sql`(${isNew} or e.position <= ${to} and e.at >= (
    select q.since - ${MISSED_BEFORE} from quarantine q where q.batch = 'notices' and q.workspace_id = e.workspace_id))`;
}

/** That a post was shown to the review group is no news: those who may decide have a notice of the request. */
const IS_REVIEW = sql<boolean>`exists (
  select from campaigns c join approval_reviews v using (campaign_id) where c.public_id = (e.data ->> 'campaign_id')::uuid)`;

/** Returns the ids of the users with new notices. */
async function insertNotices(trx: Connection, span: Span & { owners: Owners }, hasMail: boolean): Promise<number[]> {
  return readColumn<number>(trx)`
    with kinds (kind, type, path, for_admins, for_asker, browser, email) as (values ${KIND_ROWS}), made as (
      insert into notices (user_id, event_id, kind, at, data, workspace_id)
      select u.user_id, e.event_id, k.kind, e.at, e.data, e.workspace_id
      from events e
      join kinds k on k.type = e.type and (k.path is null or e.data @? k.path)
      join memberships m on m.workspace_id = e.workspace_id
      join users u on u.user_id = m.user_id and u.deleted_at is null and u.disabled_at is null
        and case when k.for_admins then u.is_admin
                 when k.for_asker then m.user_id = (e.data ->> 'asked_by')::bigint
                 else m.role in ('manager', 'owner') end
        -- What they did themselves is no news: asked_by of a request, decided_by of a decision.
        and m.user_id is distinct from (e.data ->> case when k.for_asker then 'decided_by' else 'asked_by' end)::bigint
      where ${isInSpan(span)} and ${ownedBy('e.workspace_id', span.owners)} and e.type in (${EVENT_LIST})
        and not (e.type = 'campaign.completed' and ${IS_REVIEW})
      order by e.position
      on conflict (user_id, event_id) do nothing
      returning notice_id, user_id, kind, at
    ), told as (
      insert into notice_turns (user_id, kind, subscription_id, waiting, notice_id)
      select n.user_id, n.kind, w.subscription_id, count(*), max(n.notice_id)
      from made n
      join kinds k on k.kind = n.kind
      join users u on u.user_id = n.user_id
      left join notice_choices c on c.user_id = n.user_id and c.kind = n.kind
      cross join lateral (
        select subscription_id from push_subscriptions s where s.user_id = n.user_id and coalesce(c.browser, k.browser)
        union all
        select null where ${hasMail} and coalesce(c.email, k.email) and u.email_verified_at is not null
      ) w
      where n.at > campanile_now() - ${NEWS_HOURS} * interval '1 hour'
      group by n.user_id, n.kind, w.subscription_id
      on conflict (user_id, kind, subscription_id) do update
      set waiting = notice_turns.waiting + excluded.waiting, notice_id = excluded.notice_id
    )
    select distinct user_id as "userId" from made`;
}

async function removeTooMany(trx: Connection, people: readonly number[]): Promise<void> {
  if (people.length === 0) return;
  await execute(trx)`
    delete from notices n using (
      select p.user_id, o.notice_id
      from unnest(${[...people]}::bigint[]) p (user_id)
      cross join lateral (
        select notice_id from notices where notices.user_id = p.user_id order by notice_id desc offset ${NOTICES_LIMIT} limit 1
      ) o
    ) old
    where n.user_id = old.user_id and n.notice_id <= old.notice_id`;
}
