import type { TranslatedText } from '../../../content/post/translations.ts';
import { compileChoice } from '../../../content/text/choose-text.ts';
import { writePlaceholders } from '../../../content/text/placeholders.ts';
import { readRows, type Connection } from '../../../platform/database/statements.ts';
import { describeIssue, type Issue } from '../../../platform/errors/errors.ts';
import type { WorkspaceId } from '../../../platform/database/schema.ts';
import { readLanguages } from '../../values/select-values.ts';

/** Something that will probably keep a post from a group, or should keep its author from sending it. */
export interface GroupProblem extends Issue {
  groupId: number;
}

const GONE = describeIssue('group_gone');
const ADMINS_ONLY = describeIssue('admins_only');
const NO_SENDING = describeIssue('no_sending');
const REPEATED = describeIssue('same_text');

interface Draft {
  /** Without repeats, in the order given. */
  groupIds: readonly number[];
  text: string;
  /** Of a post with fields or translations. */
  template?: Partial<Pick<Said, 'translations'>> | undefined;
  /** In order, one at least. */
  dueAt: readonly Date[];
  /** The campaign that it is a change of: what that one says is not a repeat. */
  insteadOf: number | undefined;
}

/** What the ledger knows to be wrong with these groups of the account, in the order of the groups; one may have several. */
export async function findGroupProblems(db: Connection, workspaceId: WorkspaceId, draft: Draft) {
  const closed = await findClosed(db, workspaceId, draft.groupIds);
  // Files without a text may differ.
  const repeated = draft.text === '' ? new Set<number>() : await findRepeated(db, workspaceId, draft);
  return draft.groupIds.flatMap((groupId) => {
    const issues = [closed.get(groupId), repeated.has(groupId) ? REPEATED : undefined];
    return issues.flatMap((issue) => (issue === undefined ? [] : [{ groupId, ...issue }]));
  });
}

async function findClosed(db: Connection, workspaceId: WorkspaceId, groupIds: readonly number[]) {
  const rows = await readRows<{ group_id: number; is_gone: boolean; is_plain: boolean }>(db)`
    select g.group_id, g.removed_at is not null as is_gone, g.kind = 'group' as is_plain
    from unnest(${groupIds}::bigint[]) i (group_id) join groups g on g.group_id = i.group_id
    where g.workspace_id = ${workspaceId} and (g.removed_at is not null or not g.can_send)`;
  return new Map(
    rows.map((row) => [row.group_id, row.is_gone ? GONE : row.is_plain ? NO_SENDING : ADMINS_ONLY] as const),
  );
}

/** The texts of a post. */
interface Said {
  text: string;
  translations: readonly TranslatedText[];
}

/** Returns the groups with the same text, that of their language, within 24 hours. */
async function findRepeated(db: Connection, workspaceId: WorkspaceId, draft: Draft): Promise<Set<number>> {
  const { text, template } = draft;
  const near = await findNear(db, workspaceId, draft);
  const contentIds = [...new Set(near.map(({ saidIn }) => saidIn))].filter((id) => id !== null);
  const isSame = contentIds.length === 0 && !template?.translations?.length;
  if (isSame || near.length === 0) return new Set(near.map(({ groupId }) => groupId));
  const others = await readRows<{ contentId: number; translations: TranslatedText[] }>(db)`
    select content_id as "contentId", template -> 'translations' as translations
    from contents where content_id = any(${contentIds}::bigint[])`;
  const own = compileSaid({ text, translations: template?.translations ?? [] });
  const saidOf = new Map([
    [null, compileSaid({ text, translations: [] })],
    ...others.map(({ contentId, translations }) => [contentId, compileSaid({ text, translations })] as const),
  ]);
  const languages = await readLanguages(db, workspaceId, draft.groupIds);
  const repeated = near.filter(({ groupId, saidIn }) => {
    const language = languages.get(groupId);
    return saidOf.get(saidIn)?.(language) === own(language);
  });
  return new Set(repeated.map(({ groupId }) => groupId));
}

/** Returns the text that a group of a language gets, as it is written. */
function compileSaid({ text, translations }: Said): (language: string | undefined) => string {
  const choose = compileChoice(translations);
  const texts = new Map(translations.map((one) => [one.language, writePlaceholders(one.text, one.placeholders)]));
  return (language) => texts.get(choose(language)) ?? text;
}

/**
 * Returns the groups with a post of the same main text within 24 hours: posted before the first run, queued, or planned near one of the runs.
 * Recalled posts do not count. `saidIn` is a content with the translations of that post; null: it has none.
 */
function findNear(db: Connection, workspaceId: WorkspaceId, { groupIds, text, dueAt, insteadOf }: Draft) {
  return readRows<{ groupId: number; saidIn: number | null }>(db)`
    with near as materialized (
      select range_agg(tstzrange(at - interval '24 hours', at + interval '24 hours', '()')) as times
      from unnest(${dueAt}::timestamptz[]) d (at)
    ), same as materialized (
      select c.campaign_id, t.content_id, t.group_ids, t.content_id = c.content_id as is_next,
             case when t.template ? 'translations' then min(t.content_id) over (partition by t.template -> 'translations') end as said_in
      from campaigns c join contents t on t.campaign_id = c.campaign_id
      where c.workspace_id = ${workspaceId} and t.text = ${text} and c.campaign_id is distinct from ${insteadOf ?? null}::bigint
    ), begun as materialized (
      select r.run_id, r.status, r.expanded, s.group_ids, s.said_in
      from same s join runs r on r.campaign_id = s.campaign_id and r.content_id = s.content_id
      where r.workspace_id = ${workspaceId} and r.started_at is not null
        and (${dueAt[0]}::timestamptz < r.progress_at + interval '24 hours'
             or r.status = 'running' and ${dueAt[0]}::timestamptz < campanile_now() + interval '24 hours')
    ), reached as (
      -- Once for each content: a plan of a year has one content and 365 runs.
      select u.group_id, s.said_in
      from same s cross join lateral (
             select from runs r, near
             where r.campaign_id = s.campaign_id and r.status = 'planned' and r.due_at <@ near.times limit 1) planned,
           unnest(s.group_ids) u (group_id)
      where s.is_next
      union
      select u.group_id, b.said_in from begun b, unnest(b.group_ids[b.expanded + 1 :]) u (group_id) where b.status = 'running'
      union
      select d.group_id, b.said_in from begun b join deliveries d on d.workspace_id = ${workspaceId} and d.run_id = b.run_id
      where (d.status = 'queued' or d.status = 'sent' and ${dueAt[0]}::timestamptz < d.sent_at + interval '24 hours')
        and not exists (select from revisions v where v.workspace_id = d.workspace_id and v.run_id = d.run_id
                          and v.position = d.position and (v.recalled_at is not null or v.wanted = 'recall'))
        and not exists (select from revision_requests q where q.workspace_id = d.workspace_id and q.run_id = d.run_id
                          and q.kind = 'recall' and q.next_position is not null)
    )
    select group_id as "groupId", said_in as "saidIn" from reached where group_id = any(${groupIds}::bigint[])`;
}
