/** Which groups a post with fields does not fit, as it is accepted. */
import { readRows, sql, type Connection, type RawBuilder } from '../../platform/database/statements.ts';
import type { WorkspaceId } from '../../platform/database/schema.ts';
import { describeIssue, fieldError, invalid, type FieldError, type Issue } from '../../platform/errors/errors.ts';
import type { Failure } from '../../platform/errors/failures.ts';
import {
  compilePost,
  listFieldsOf,
  listTexts,
  mayBeBare,
  type FieldValues,
  type Template,
} from '../../content/post/fill-post.ts';
import { groupsFieldOf, type PostExtras } from '../../content/post/post-extras.ts';
import { TEXT_LIMIT } from '../../content/text/document.ts';
import { yieldToEventLoop } from '../../platform/concurrency/yield-to-event-loop.ts';
import { joinValues, lookUp, readRunContext, selectValue, selectValues, type PlannedRun } from './select-values.ts';

export interface PostWithFields extends PlannedRun {
  groupIds: readonly number[];
  /** Of a correction: the runs that have sent it. Groups with a post of theirs go by the values that they were given. */
  begunRunIds?: readonly number[];
  template: Template;
  extras: PostExtras;
  hasFile: boolean;
}

export interface Unfit {
  groupId: number;
  groupName: string;
  failure: Failure;
}

/** A character of a value takes up to nine in an address. */
const GROWTH = 9;

/** Returns the groups to which the post cannot be sent, in the order given. Reads the values of no other groups where it can. */
export async function findUnfit(db: Connection, post: PostWithFields): Promise<Unfit[]> {
  const { workspaceId, groupIds, begunRunIds = [], template, extras, hasFile } = post;
  if (template.isLiteral || Object.keys(template.fields).length === 0) return [];
  const groups = sql`unnest(${[...groupIds]}::bigint[]) i (group_id)`;
  const context = await readRunContext(db, post, { template, groups });
  const isBegun = begunRunIds.length > 0;
  const values = Object.entries(template.fields).map(([key, field]) => {
    const value = selectValue(field, context);
    const said = sql`case when given.field_values ? ${key} then given.field_values ->> ${key}::text else ${value} end`;
    return { isRequired: field.isRequired ?? field.requiredIn, said: isBegun ? said : value };
  });
  // Seen for sure are these signs; of others it is looked up.
  const isMissing = values
    .filter(({ isRequired }) => isRequired)
    .map(({ said }) => sql`coalesce((${said}) !~ '[!-~]', true)`);
  // How often each is said is not known here: at most once for each character between two placeholders.
  const texts = [...listTexts(template).values()];
  const places = Math.max(...texts.map(({ text }) => text.match(/[\ufdd0-\ufdef]/g)?.length ?? 0));
  const fallbacks = texts.map(({ placeholders }) =>
    placeholders.reduce((sum, { fallback = '' }) => sum + fallback.length, 0),
  );
  const longest = Math.max(...texts.map(({ text }) => text.length));
  const room = TEXT_LIMIT - longest - GROWTH * Math.max(...fallbacks) * places;
  const octets = values.map(({ said }) => sql`coalesce(octet_length(${said}), 0)`);
  const mayBeLong = sql`(${sql.join(octets, sql` + `)})::float8 * ${GROWTH * places}::float8 > ${room}::float8`;
  const hasOthers = listFieldsOf(extras).length > 0 || (!hasFile && mayBeBare(template));
  const all = selectValues(template, context);
  const rows = await readRows<{ groupId: number; groupName: string; fieldValues: FieldValues }>(db)`
    select i.group_id as "groupId", g.name as "groupName", i.field_values as "fieldValues"
    from (
      select o.group_id, o.place, ${isBegun ? sql`${all} || coalesce(given.field_values, '{}')` : all} as field_values
      from unnest(${[...groupIds]}::bigint[]) with ordinality o (group_id, place)
      ${joinValues(template, { workspaceId, groupId: sql`o.group_id` })} ${isBegun ? givenIn(workspaceId, begunRunIds) : sql``}
      where ${sql.join([sql`${hasOthers}::boolean`, mayBeLong, ...isMissing], sql` or `)}
    ) i
    cross join lateral ${lookUp('groups', { workspaceId, groupId: sql`i.group_id` })} g
    order by i.place`;
  const fill = compilePost(template, post);
  const unfit: Unfit[] = [];
  for (const { fieldValues, ...group } of rows) {
    const filled = fill(fieldValues);
    if ('failure' in filled) unfit.push({ ...group, failure: filled.failure });
    await yieldToEventLoop();
  }
  return unfit;
}

/** Joins the values that groups were given, and leaves out those without a post that was sent or is yet to leave. */
const givenIn = (workspaceId: WorkspaceId, runIds: readonly number[]): RawBuilder<unknown> => sql`
  cross join lateral (
    select v.field_values from deliveries d left join delivery_values v using (workspace_id, run_id, position)
    where d.workspace_id = ${workspaceId} and d.run_id = any(${[...runIds]}::bigint[]) and d.position = o.place
      and d.status in ('queued', 'sent')
    order by d.run_id desc limit 1) given`;

const NAMED_AT_MOST = 5;

/** Throws 400 for a post with fields that some of its groups do not fit, unless they lack a value and are left out. */
export async function requireFit(db: Connection, post: PostWithFields): Promise<void> {
  const { leavesOut } = post.template;
  const unfit = (await findUnfit(db, post)).filter(({ failure }) => !leavesOut || failure.code !== 'value_missing');
  if (unfit.length === 0) return;
  const problems = Map.groupBy(unfit, ({ failure }) => failure.reason);
  throw invalid(Array.from(problems.values(), (ofOne) => describeGroups(groupsFieldOf(post.extras), ofOne)));
}

function describeGroups(field: string, unfit: readonly Unfit[]): FieldError {
  const names = unfit.slice(0, NAMED_AT_MOST).map(({ groupName }) => groupName);
  const more = unfit.length > NAMED_AT_MOST ? ` and ${unfit.length - NAMED_AT_MOST} more` : '';
  const groups = `${names.join(', ')}${more}`;
  const { code, params } = unfit[0]?.failure ?? {};
  return code === 'value_missing'
    ? fieldError(field, 'groups_without_value', { ...params, groups })
    : fieldError(field, 'groups_unfit', { groups });
}

/** Returns what is wrong with a group, for a check. */
export function describeUnfit({ failure: { code, params = {} } }: Unfit): Issue {
  if (code === 'values_too_long' || code === 'values_alike' || code === 'nothing_visible')
    return describeIssue(code, params);
  return describeIssue('no_value', params);
}
