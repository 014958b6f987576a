/** Fields: what a workspace knows about each of its groups (contract §4). */
import { BUILT_IN, isReservedName, MOST_FIELDS } from '../../../content/fields/field-name.ts';
import { readComparedValue, readFieldValue, type FieldKind } from '../../../content/fields/field-value.ts';
import { cleanName, foldFieldName } from '../../../content/text/fold-name.ts';
import { execute, readRows, sql, type Connection, type Database } from '../../../platform/database/statements.ts';
import { AppError, fieldError, invalid, type FieldError } from '../../../platform/errors/errors.ts';
import type { IssueCode } from '../../../platform/errors/issues.ts';
import type { WorkspaceId } from '../../../platform/database/schema.ts';
import { diffLists } from '../../../workspaces/audit/diff-values.ts';
import { recordAudit, type Actor } from '../../../workspaces/audit/record-audit.ts';
import { lockOwnLedger } from '../../accounts/store.ts';
import { requireUnused } from './require-unused.ts';

export interface Field {
  fieldId: number;
  name: string;
  kind: FieldKind;
}

export interface UsedField extends Field {
  /** Groups with a value. */
  groupCount: number;
}

/** Groups that a refusal names, and lists. */
const MOST_NAMED = 3;

/** Returns the fields of a workspace, in the order in which they were added. */
export function readFields(db: Connection, workspaceId: WorkspaceId): Promise<Field[]> {
  return selectFields(db, workspaceId, sql``);
}

/** The same. No other transaction changes fields or values of the workspace until this one ends. */
export function lockFields(trx: Connection, workspaceId: WorkspaceId): Promise<Field[]> {
  return selectFields(trx, workspaceId, sql`for no key update`);
}

function selectFields(db: Connection, workspaceId: WorkspaceId, lock: ReturnType<typeof sql>): Promise<Field[]> {
  return readRows<Field>(db)`
    select field_id as "fieldId", name, kind from fields where workspace_id = ${workspaceId} order by position, field_id ${lock}`;
}

/** Returns the fields of a workspace with how much they are used (contract §4, list-fields). */
export function listFields(
  { db }: { db: Connection },
  { workspaceId }: Pick<Actor, 'workspaceId'>,
): Promise<UsedField[]> {
  return readRows<UsedField>(db)`
    with used as (
      select key::bigint as field_id, count(*)::int as groups
      from group_values v cross join jsonb_object_keys(v.field_values) key
      join groups g on g.group_id = v.group_id and g.removed_at is null
      where v.workspace_id = ${workspaceId} group by 1
    )
    select field_id as "fieldId", name, kind, coalesce(groups, 0) as "groupCount"
    from fields left join used using (field_id) where workspace_id = ${workspaceId} order by position, field_id`;
}

export interface FieldInput {
  /** Undefined: the field of this name, or a new one. */
  fieldId?: number | undefined;
  name: string;
  /** Undefined: as it is; of a new one `text`. */
  kind?: FieldKind | undefined;
}

/**
 * Adds fields and changes those that are there, and removes some with their values (contract §4, set-fields). All others stay. Throws 400
 * for a name or a kind that cannot be, 404 for a field that is not the workspace's, 409 when there would be too many, and for the removal of
 * one that posts or lists need, unless `removeInUse`.
 */
export async function setFields(
  { db }: { db: Database },
  actor: Actor,
  given: { fields: readonly FieldInput[]; remove: readonly number[]; removeInUse?: boolean },
): Promise<UsedField[]> {
  const { workspaceId } = actor;
  return db.transaction().execute(async (trx) => {
    // Two at once would both add the last field, or the same one.
    await lockOwnLedger(trx, workspaceId);
    const before = await lockFields(trx, workspaceId);
    const { changed, added } = sortInputs(before, given);
    const removed = new Set(given.remove);
    const kept = before
      .filter(({ fieldId }) => !removed.has(fieldId))
      .map((field) => ({ ...field, ...changed.get(field.fieldId) }));
    assertDistinct(given.fields, [...kept, ...added]);
    if (kept.length + added.length > MOST_FIELDS)
      throw new AppError('field_limit_reached', `A workspace has ${MOST_FIELDS} fields at most. Remove one.`);
    if (removed.size > 0 && !given.removeInUse) await requireUnused(trx, workspaceId, before, given.remove);
    if (removed.size > 0) await removeFields(trx, workspaceId, given.remove);
    await changeKinds(trx, workspaceId, before, changed);
    await writeFields(trx, workspaceId, [...changed.values()], added);
    const changes = diffLists(before.map(describeField), [...kept, ...added].map(describeField));
    if (changes) {
      const subject = [...added, ...changed.values()].map(({ name }) => name).join(', ');
      const removedNames = before.filter(({ fieldId }) => removed.has(fieldId)).map(({ name }) => name);
      await recordAudit(trx, {
        ...actor,
        action: 'group_fields.defined',
        subject: subject || removedNames.join(', '),
        changes: [{ field: 'fields', ...changes }],
      });
    }
    return listFields({ db: trx }, actor);
  });
}

function describeField({ name, kind }: Pick<Field, 'name' | 'kind'>): string {
  return `${name} (${kind})`;
}

type NewField = Pick<Field, 'name' | 'kind'>;

/** Tells fields that are there, by their id or else their name, from new ones. Throws 404 for an id that is none. */
function sortInputs(before: readonly Field[], given: { fields: readonly FieldInput[]; remove: readonly number[] }) {
  const byId = new Map(before.map((field) => [field.fieldId, field]));
  const byName = new Map(before.map((field) => [foldFieldName(field.name), field]));
  const unknown: FieldError[] = [];
  const changed = new Map<number, Field>();
  const added: NewField[] = [];
  for (const [index, { fieldId, name: sent, kind }] of given.fields.entries()) {
    const name = cleanName(sent);
    const known = fieldId === undefined ? byName.get(foldFieldName(name)) : byId.get(fieldId);
    if (known && changed.has(known.fieldId)) throw invalid([fieldError(`fields.${index}`, 'not_distinct')]);
    if (known) changed.set(known.fieldId, { fieldId: known.fieldId, name, kind: kind ?? known.kind });
    else if (fieldId === undefined) added.push({ name, kind: kind ?? 'text' });
    else unknown.push(fieldError(`fields.${index}.field_id`, 'unknown_id', { of: 'fields' }));
  }
  for (const [index, fieldId] of given.remove.entries()) {
    if (!byId.has(fieldId)) unknown.push(fieldError(`remove.${index}`, 'unknown_id', { of: 'fields' }));
    if (changed.has(fieldId)) throw invalid([fieldError(`remove.${index}`, 'field_also_changed')]);
  }
  if (unknown.length > 0) throw new AppError('field_not_found', 'You have no field with this id', { details: unknown });
  return { changed, added };
}

/** Throws 400 for names that posts keep for themselves, and for two fields of one name. */
function assertDistinct(given: readonly FieldInput[], after: readonly NewField[]): void {
  const counts = Map.groupBy(after, ({ name }) => foldFieldName(name));
  const problems = given.flatMap(({ name }, index) => {
    const field = `fields.${index}.name`;
    if (isReservedName(name)) return [fieldError(field, 'field_name_reserved', { names: BUILT_IN.join(', ') })];
    const isTwice = (counts.get(foldFieldName(name))?.length ?? 0) > 1;
    return isTwice ? [fieldError(field, 'field_name_taken')] : [];
  });
  if (problems.length > 0) throw invalid(problems);
}

async function removeFields(trx: Connection, workspaceId: WorkspaceId, fieldIds: readonly number[]): Promise<void> {
  const keys = fieldIds.map(String);
  await execute(
    trx,
  )`delete from fields where workspace_id = ${workspaceId} and field_id = any(${[...fieldIds]}::bigint[])`;
  await execute(trx)`
    delete from group_values where workspace_id = ${workspaceId} and field_values - ${keys}::text[] = '{}'`;
  await execute(trx)`
    update group_values set field_values = field_values - ${keys}::text[]
    where workspace_id = ${workspaceId} and field_values ?| ${keys}::text[]`;
}

/**
 * Brings the values of fields into the form of their new kind. Throws 400, with some groups and lists, if values of groups or of rules do
 * not have one.
 */
async function changeKinds(
  trx: Connection,
  workspaceId: WorkspaceId,
  before: readonly Field[],
  changed: ReadonlyMap<number, Field>,
): Promise<void> {
  for (const { fieldId, name, kind } of before) {
    const next = changed.get(fieldId)?.kind ?? kind;
    if (next === kind || next === 'text') continue;
    const key = String(fieldId);
    const rows = await readRows<{ groupId: number; value: string }>(trx)`
      select group_id as "groupId", field_values ->> ${key}::text as value from group_values
      where workspace_id = ${workspaceId} and field_values ? ${key}::text order by group_id`;
    const read = rows.map((row) => ({ ...row, next: readFieldValue(next, row.value) }));
    const groups = read.filter(({ next: one }) => 'problem' in one).map(({ groupId }) => groupId);
    const lists = await findUnfitLists(trx, workspaceId, { fieldId, kind: next });
    const refuse = (code: IssueCode, what: string, found: ReadonlyArray<number | string>) =>
      found.length === 0
        ? []
        : [fieldError('fields', code, { count: found.length, [what]: nameSome(found), kind: next, name })];
    const problems = [
      ...refuse('field_kind_mismatch', 'groups', groups),
      ...refuse('field_kind_in_rules', 'lists', lists),
    ];
    if (problems.length > 0) throw invalid(problems);
    const written = read.flatMap(({ groupId, value, next: one }) =>
      'value' in one && one.value !== value ? [{ groupId, value: one.value }] : [],
    );
    await execute(trx)`
      update group_values v set field_values = v.field_values || jsonb_build_object(${key}::text, w.value)
      from jsonb_to_recordset(${JSON.stringify(written)}::jsonb) as w ("groupId" bigint, value text)
      where v.group_id = w."groupId"`;
  }
}

const nameSome = (ones: readonly unknown[]) => ones.slice(0, MOST_NAMED).join(', ');

/** Returns the names of the lists whose rule compares a field with a value that the kind does not take. */
async function findUnfitLists(
  trx: Connection,
  workspaceId: WorkspaceId,
  { fieldId, kind }: Pick<Field, 'fieldId' | 'kind'>,
): Promise<string[]> {
  const rules = await readRows<{ listName: string; values: string[] }>(trx)`
    select l.name as "listName", array_agg(coalesce(c.condition ->> 'is', c.condition ->> 'isNot')) as values
    from group_lists l cross join jsonb_array_elements(coalesce(l.rule -> 'all', l.rule -> 'any')) c (condition)
    where l.workspace_id = ${workspaceId} and (c.condition ->> 'fieldId')::bigint = ${fieldId}
    group by l.group_list_id order by l.group_list_id`;
  const isUnfit = (value: string) => 'problem' in readComparedValue(kind, value);
  return rules.filter(({ values }) => values.some(isUnfit)).map(({ listName }) => listName);
}

async function writeFields(
  trx: Connection,
  workspaceId: WorkspaceId,
  changed: readonly Field[],
  added: readonly NewField[],
): Promise<void> {
  const fold = <One extends NewField>(one: One) => ({ ...one, folded: foldFieldName(one.name) });
  // One statement, so that two fields may change names with each other.
  await execute(trx)`
    update fields f set name = c.name, folded_name = c.folded, kind = c.kind
    from jsonb_to_recordset(${JSON.stringify(changed.map(fold))}::jsonb)
      as c ("fieldId" bigint, name text, folded text, kind text)
    where f.field_id = c."fieldId" and f.workspace_id = ${workspaceId}`;
  await execute(trx)`
    insert into fields (workspace_id, name, folded_name, kind, position)
    select ${workspaceId}::bigint, a.name, a.folded, a.kind,
           a.place + coalesce((select max(position) from fields where workspace_id = ${workspaceId}), 0)
    from rows from (jsonb_to_recordset(${JSON.stringify(added.map(fold))}::jsonb) as (name text, folded text, kind text))
      with ordinality as a (name, folded, kind, place)
    order by a.place`;
}
