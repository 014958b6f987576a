/** Rules: conditions on groups, by which a list has the groups that meet them (contract §4, group lists). */
import { hash } from 'node:crypto';
import { hasTag, readComparedValue, readFieldValue } from '../../content/fields/field-value.ts';
import { foldFieldName } from '../../content/text/fold-name.ts';
import type { GroupKind, WorkspaceId } from '../../platform/database/schema.ts';
import { readRows, sql, type Connection, type RawBuilder } from '../../platform/database/statements.ts';
import { fieldError, invalid, type FieldError } from '../../platform/errors/errors.ts';
import { readFields, type Field } from './fields/fields.ts';
import { fieldsByName, readValue, unknownField } from './fields/values.ts';
import { selectActivity } from './read-activity.ts';

interface Condition {
  field: string;
  /** Compared as names of fields are; of tags one of them; '': no value. */
  is: string;
  isNot: string;
  kind: GroupKind;
  members: { over?: number | null | undefined; under?: number | null | undefined };
  /** Nothing was posted to it for so many days, 90 at most. */
  silentDays: number;
  /** Something was. */
  activeDays: number;
}

/** One of these, and of a field one of both. A field that was removed is that of nobody, also if there is another of its name. */
type RuleCondition = { [Name in keyof Condition]?: Condition[Name] | null | undefined } & {
  fieldRemoved?: boolean | null | undefined;
};

/** One of both. */
export interface GroupRule<One = RuleCondition> {
  all?: readonly One[] | null | undefined;
  any?: readonly One[] | null | undefined;
}

/**
 * A condition as it is kept: its field may get another name, and the name of a field that is removed since is still known. One that was
 * removed before has no id.
 */
type StoredCondition = Partial<Condition> & { fieldId?: number };
export type StoredRule = GroupRule<StoredCondition>;

const conditionsOf = <One>({ all, any }: GroupRule<One>): readonly One[] => all ?? any ?? [];

function withConditions<Before, After>(
  { all, any }: GroupRule<Before>,
  change: (condition: Before, place: string) => After,
): GroupRule<After> {
  if (all) return { all: all.map((one, index) => change(one, `all.${index}`)) };
  return { any: (any ?? []).map((one, index) => change(one, `any.${index}`)) };
}

/** Returns a rule as it is kept. Throws 400 for one that makes no sense, and names each condition that does not. */
export async function bindRule(db: Connection, workspaceId: WorkspaceId, rule: GroupRule): Promise<StoredRule> {
  if (Boolean(rule.all) === Boolean(rule.any)) throw invalid([fieldError('rule', 'rule_all_or_any')]);
  const fields = await readFields(db, workspaceId);
  const byName = fieldsByName(fields);
  const problems: FieldError[] = [];
  const bound = withConditions(rule, (sent, place): StoredCondition => {
    const condition = withoutNulls(sent);
    const { field: name, is, isNot } = condition;
    if (!isOne(condition)) problems.push(fieldError(`rule.${place}`, 'rule_condition'));
    if (name === undefined || sent.fieldRemoved) return condition;
    const field = byName.get(foldFieldName(name));
    const compared = `rule.${place}.${is === undefined ? 'is_not' : 'is'}`;
    if (!field) problems.push(unknownField(`rule.${place}.field`, name, fields));
    else problems.push(...findProblem(compared, field, is ?? isNot ?? ''));
    return { ...condition, field: field?.name ?? name, ...(field && { fieldId: field.fieldId }) };
  });
  if (problems.length > 0) throw invalid(problems);
  return bound;
}

/** Returns what is there of a condition, and nothing that only answers have. */
function withoutNulls({ field, is, isNot, kind, members, silentDays, activeDays }: RuleCondition): Partial<Condition> {
  const known = { field, is, isNot, kind, members, silentDays, activeDays };
  return Object.fromEntries(Object.entries(known).filter(([, value]) => value !== null && value !== undefined));
}

function isOne({ field, is, isNot, kind, members, silentDays, activeDays }: Partial<Condition>): boolean {
  const subjects = [field, kind, members, silentDays, activeDays].filter((one) => one !== undefined);
  const compared = [is, isNot].filter((one) => one !== undefined);
  const isBounded = !members || (members.over ?? members.under ?? undefined) !== undefined;
  return subjects.length === 1 && isBounded && compared.length === (field === undefined ? 0 : 1);
}

/** Returns what is wrong with the value that a field is compared with. */
function findProblem(place: string, field: Field, value: string): FieldError[] {
  const read = readValue(field, value, readComparedValue);
  return 'problem' in read ? [{ field: place, ...read.problem }] : [];
}

/** Returns a rule as answers have it: with the present names of fields. */
export function describeRule(rule: StoredRule, fields: readonly Field[]) {
  const names = new Map(fields.map(({ fieldId, name }) => [fieldId, name]));
  return withConditions(rule, ({ fieldId, field, ...condition }) => {
    const name = fieldId === undefined ? undefined : names.get(fieldId);
    const isRemoved = field !== undefined && name === undefined;
    return { ...condition, field: name ?? field, ...(isRemoved && { fieldRemoved: true }) };
  });
}

/** Returns the groups of a rule that are there, in order of their ids. */
export async function selectByRule(db: Connection, workspaceId: WorkspaceId, rule: StoredRule): Promise<number[]> {
  const [row] = await readRows<{ groupIds: number[] }>(db)`
    select group_ids as "groupIds" from ${await compileRules(db, workspaceId, [rule])} m`;
  return row?.groupIds ?? [];
}

/** Returns the rule of groups with each of these values, by the names of fields. Throws 400 as `bindRule`. */
export async function bindValues(
  db: Connection,
  workspaceId: WorkspaceId,
  values: Readonly<Record<string, string>>,
): Promise<StoredRule> {
  const fields = await readFields(db, workspaceId);
  const byName = fieldsByName(fields);
  const named = Object.entries(values).map(([name, is]) => ({ name, is, field: byName.get(foldFieldName(name)) }));
  const problems = named.flatMap(({ name, is, field }) =>
    field ? findProblem(`fields.${name}`, field, is) : [unknownField(`fields.${name}`, name, fields)],
  );
  if (problems.length > 0) throw invalid(problems);
  return { all: named.map(({ is, field }) => ({ ...(field && { fieldId: field.fieldId }), is })) };
}

/**
 * Returns SQL: a relation with the groups of each rule as `group_ids`, and its place among the rules. The activity of campaigns that were
 * deleted a moment ago may still count.
 */
export async function compileRules(
  db: Connection,
  workspaceId: WorkspaceId,
  rules: readonly StoredRule[],
): Promise<RawBuilder<unknown>> {
  const conditions = rules.flatMap(conditionsOf);
  const wanted = new Set(conditions.map(({ fieldId }) => fieldId));
  const fields = (await readFields(db, workspaceId)).filter(({ fieldId }) => wanted.has(fieldId));
  const known = await readKnown(db, workspaceId, fields);
  const names = fields.map(({ fieldId }) => columnOf(fieldId));
  // Each value is read once for all rules; values may be long, and their digests are not.
  const columns = names.map((name) => sql`, sha256(convert_to(v.${name}, 'UTF8')) as ${name}`);
  const values =
    names.length === 0
      ? sql``
      : sql`left join lateral (
          -- A lookup for each by the key alone, whatever the planner believes of a table that has just grown.
          select r.* from (select field_values from group_values where group_id = g.group_id limit 1) q,
            jsonb_to_record(q.field_values) r (${sql.join(names.map((name) => sql`${name} text`))})) v on true`;
  const isAboutActivity = conditions.some(({ silentDays, activeDays }) => (silentDays ?? activeDays) !== undefined);
  const activity = selectActivity(workspaceId);
  const selected = rules.map(
    (rule, index) => sql`
      select ${index}::int as place, array(select group_id from known where ${toCondition(rule, known)} order by group_id) as group_ids`,
  );
  return sql`(
    with ${isAboutActivity ? sql`${activity.live},` : sql``} known as materialized (
      select g.group_id, g.kind, g.participants ${isAboutActivity ? sql`, ${activity.columns}` : sql``}
             ${sql.join(columns, sql``)}
      from groups g ${values} ${isAboutActivity ? activity.joins : sql``}
      where g.workspace_id = ${workspaceId} and g.removed_at is null
    )
    ${sql.join(selected, sql` union all `)})`;
}

/** The key of a field in `field_values`. */
const columnOf = (fieldId: number) => sql.ref(String(fieldId));

interface KnownField extends Field {
  /** Each that a group has. */
  values: readonly string[];
}

async function readKnown(
  db: Connection,
  workspaceId: WorkspaceId,
  fields: readonly Field[],
): Promise<Map<number, KnownField>> {
  if (fields.length === 0) return new Map();
  const keys = fields.map(({ fieldId }) => String(fieldId));
  const rows = await readRows<{ key: string; value: string }>(db)`
    select key, value from group_values, jsonb_each_text(field_values)
    where workspace_id = ${workspaceId} and key = any(${keys}::text[]) group by key, value`;
  const values = Map.groupBy(rows, ({ key }) => key);
  return new Map(
    fields.map((field) => {
      const ofField = values.get(String(field.fieldId)) ?? [];
      return [field.fieldId, { ...field, values: ofField.map(({ value }) => value) }];
    }),
  );
}

/** The condition of a rule on a row of `known`. */
function toCondition(rule: StoredRule, known: ReadonlyMap<number, KnownField>): RawBuilder<unknown> {
  const conditions = conditionsOf(rule).map((one) => sql`(${meets(one, known)})`);
  return sql.join(conditions, rule.all ? sql` and ` : sql` or `);
}

function meets(
  { fieldId, is, isNot, kind, members, silentDays, activeDays }: StoredCondition,
  known: ReadonlyMap<number, KnownField>,
): RawBuilder<unknown> {
  const before = (days: number) => sql`last_at <= campanile_now() - ${days} * interval '1 day'`;
  if (kind !== undefined) return sql`kind = ${kind}::group_kind`;
  if (members)
    return sql`participants > ${members.over ?? -1}::bigint and participants < ${members.under ?? 2 ** 40}::bigint`;
  if (silentDays !== undefined) return sql`last_at is null or ${before(silentDays)}`;
  if (activeDays !== undefined) return sql`not (${before(activeDays)})`;
  const field = known.get(fieldId ?? 0);
  // A field that is removed since is that of nobody, whichever way it is asked for.
  if (!field) return sql`false`;
  const column = columnOf(field.fieldId);
  const like = findLike(field, is ?? isNot ?? '');
  const isLike = like
    ? sql`coalesce(${column} = any(${like.map((one) => hash('sha256', one, 'buffer'))}::bytea[]), false)`
    : sql`${column} is null`;
  return isNot === undefined ? isLike : sql`not (${isLike})`;
}

/** Returns the values that are like this one; undefined: having none is. */
function findLike({ kind, values }: KnownField, value: string): string[] | undefined {
  const read = readFieldValue(kind, value);
  const looked = foldFieldName('value' in read ? read.value : value);
  if (looked === '') return undefined;
  return values.filter((one) => (kind === 'tags' ? hasTag(one, looked) : foldFieldName(one) === looked));
}
