/** What is kept of a person, for the person alone: nothing that others have written, and nobody else by name, address or number. */
import { readColumn, readRow, readRows, sql, type RawBuilder } from '../../platform/database/statements.ts';
import type { Database } from '../../platform/database/statements.ts';
import type { UserId, WorkspaceId } from '../../platform/database/schema.ts';

type Row = Readonly<Record<string, string | number | boolean | Date | null>>;

export interface PersonalTable {
  name: string;
  /** As in rows, in snake case. */
  columns: readonly string[];
  /** Each step is read when it is asked for. */
  steps: AsyncIterable<readonly Row[]>;
}

/** Texts may have 64 KiB each. */
const ROWS_PER_STEP = 200;

/** Rows after `key`, in its order: each step reads as many rows as it returns. The key is not written. */
type Source = (after: (key: RawBuilder<unknown>) => RawBuilder<unknown>) => RawBuilder<Row & { key: string }>;

/** Returns profile, second factors and choices of notices of a user; undefined if they were deleted meanwhile. */
export function readPerson(db: Database, userId: UserId): Promise<object | undefined> {
  return readRow<object>(db)`
    select u.user_id, u.first_name, u.last_name, u.user_name, u.email, u.phone_number, u.whatsapp_number, u.time_zone, u.language, u.is_admin,
           u.created_at, u.first_signed_in_at, u.email_verified_at,
           (select coalesce(json_agg(json_build_object('kind', kind, 'name', name, 'created_at', created_at, 'last_used_at', last_used_at)
              order by factor_id), '[]') from factors f where f.user_id = u.user_id and confirmed) as factors,
           (select coalesce(json_agg(json_build_object('kind', kind, 'bell', bell, 'browser', browser, 'email', email) order by kind), '[]')
            from notice_choices c where c.user_id = u.user_id) as notice_choices
    from users u where u.user_id = ${userId} and u.deleted_at is null`;
}

/** Returns the tables of the export, in the order of the archive. */
export function listPersonalTables(db: Database, userId: UserId): PersonalTable[] {
  const table = (name: string, columns: readonly string[], source: Source): PersonalTable => ({
    name,
    columns,
    steps: readSteps(db, source),
  });
  return [
    table(
      'workspaces',
      ['workspace_id', 'name', 'role', 'joined_at', 'review_number'],
      (after) => sql`
        select workspace_id as key, workspace_id as "workspaceId", w.name, role, joined_at as "joinedAt", review_number as "reviewNumber"
        from (select * from memberships where user_id = ${userId} offset 0) m join workspaces w using (workspace_id)
        where ${after(sql`workspace_id`)} order by workspace_id limit ${ROWS_PER_STEP}`,
    ),
    table(
      'sessions',
      ['agent', 'address', 'created_at', 'last_used_at', 'expires_at'],
      (after) => sql`
        select token_id as key, agent, address, created_at as "createdAt", last_used_at as "lastUsedAt", expires_at as "expiresAt"
        from sessions where user_id = ${userId} and ${after(sql`token_id`)} order by token_id limit ${ROWS_PER_STEP}`,
    ),
    table(
      'networks',
      ['network', 'used_at'],
      (after) => sql`
        select network as key, network, used_at as "usedAt" from sign_in_networks
        where user_id = ${userId} and ${after(sql`network`)} order by network limit ${ROWS_PER_STEP}`,
    ),
    table(
      'notices',
      ['at', 'kind', 'workspace_id', 'read_at'],
      (after) => sql`
        select notice_id as key, at, kind, workspace_id as "workspaceId", read_at as "readAt" from notices
        where user_id = ${userId} and ${after(sql`notice_id`)} order by notice_id limit ${ROWS_PER_STEP}`,
    ),
    table(
      'browsers',
      ['endpoint', 'created_at'],
      (after) => sql`
        select subscription_id as key, endpoint, created_at as "createdAt" from push_subscriptions
        where user_id = ${userId} and ${after(sql`subscription_id`)} order by subscription_id limit ${ROWS_PER_STEP}`,
    ),
    ...listWorkspaceTables(db, userId),
  ];
}

/** What the person has in their workspaces. */
function listWorkspaceTables(db: Database, userId: UserId): PersonalTable[] {
  const each = (
    name: string,
    columns: readonly string[],
    { isOwn = false, source }: { isOwn?: boolean; source: (workspaceId: WorkspaceId) => Source },
  ): PersonalTable => ({ name, columns, steps: readWorkspaces(db, userId, isOwn, source) });
  return [
    each('api-keys', ['workspace_id', 'name', 'prefix', 'scopes', 'created_at', 'expires_at', 'last_used_at'], {
      source: (workspaceId) => (after) =>
        sql`
        select api_key_id as key, workspace_id as "workspaceId", name, prefix, array_to_string(scopes, ' ') as scopes, created_at as "createdAt",
               expires_at as "expiresAt", last_used_at as "lastUsedAt"
        from api_keys where workspace_id = ${workspaceId} and user_id = ${userId} and ${after(sql`api_key_id`)}
        order by api_key_id limit ${ROWS_PER_STEP}`,
    }),
    each('drafts', ['workspace_id', 'draft_id', 'is_template', 'name', 'html', 'translations', 'updated_at'], {
      source: (workspaceId) => (after) =>
        sql`
        select draft_id as key, workspace_id as "workspaceId", draft_id as "draftId", is_template as "isTemplate", name, content ->> 'html' as html,
               ${listTexts(sql`content`)} as translations, updated_at as "updatedAt"
        from drafts where workspace_id = ${workspaceId} and written_by = array[${userId}::bigint] and ${after(sql`draft_id`)}
        order by draft_id limit ${ROWS_PER_STEP}`,
    }),
    each('remarks', ['workspace_id', 'approval_id', 'kind', 'remark', 'at'], {
      source: (workspaceId) => (after) =>
        sql`
        select e.entry_id as key, e.workspace_id as "workspaceId", e.approval_id as "approvalId", e.kind, e.remark, e.at
        from approvals a join approval_entries e using (workspace_id, approval_id)
        where a.workspace_id = ${workspaceId} and e.user_id = ${userId} and ${after(sql`e.entry_id`)}
        order by e.entry_id limit ${ROWS_PER_STEP}`,
    }),
    each(
      'accounts',
      ['workspace_id', 'account_id', 'name', 'messenger', 'whatsapp_number', 'linked_number', 'created_at'],
      {
        isOwn: true,
        source: (workspaceId) => (after) =>
          sql`
        select account_id as key, workspace_id as "workspaceId", account_id as "accountId", name, messenger,
               whatsapp_number as "whatsappNumber", linked_number as "linkedNumber", created_at as "createdAt"
        from accounts where workspace_id = ${workspaceId} and removed_at is null and ${after(sql`account_id`)}
        order by account_id limit ${ROWS_PER_STEP}`,
      },
    ),
    each(
      'campaigns',
      ['workspace_id', 'campaign_id', 'name', 'text', 'translations', 'status', 'created_at', 'finished_at'],
      {
        isOwn: true,
        source: (workspaceId) => (after) =>
          sql`
        select c.campaign_id as key, c.workspace_id as "workspaceId", c.public_id as "campaignId", c.name, t.text, t.translations, c.status,
               c.created_at as "createdAt", c.finished_at as "finishedAt"
        from (
          select * from campaigns
          where workspace_id = ${workspaceId} and deleted_at is null and ${after(sql`campaign_id`)}
          order by campaign_id limit ${ROWS_PER_STEP}) c
        left join lateral (
          select text, ${listTexts(sql`template`)} as translations from contents where content_id = c.content_id limit 1) t on true
        order by c.campaign_id`,
      },
    ),
  ];
}

/** The translations in some JSON, with what their author has written. */
const listTexts = (json: RawBuilder<unknown>) => sql`(
  select jsonb_agg(jsonb_build_object('language', o -> 'language', 'html', o -> 'html'))::text
  from jsonb_array_elements(${json} -> 'translations') o)`;

async function* readSteps(db: Database, source: Source): AsyncGenerator<readonly Row[]> {
  for (let last: string | undefined; ;) {
    const key = last;
    const rows = await readRows<Row & { key: string }>(db)`${source((by) =>
      key === undefined ? sql`true` : sql`${by} > ${key}`,
    )}`;
    yield rows;
    if (rows.length < ROWS_PER_STEP) return;
    last = rows.at(-1)?.key;
  }
}

/** The rows of each workspace of a person, one workspace after the other. `isOwn`: only of those that they own. */
async function* readWorkspaces(
  db: Database,
  userId: UserId,
  isOwn: boolean,
  source: (workspaceId: WorkspaceId) => Source,
): AsyncGenerator<readonly Row[]> {
  const workspaceIds = await readColumn<WorkspaceId>(db)`
    select workspace_id as "workspaceId" from (select * from memberships where user_id = ${userId} offset 0) m
    where not ${isOwn}::boolean or role = 'owner' order by workspace_id`;
  for (const workspaceId of workspaceIds) yield* readSteps(db, source(workspaceId));
}
