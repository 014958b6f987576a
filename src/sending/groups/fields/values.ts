/** What groups have in the fields of their workspace. A change of values has locked the fields. */
import { readFieldValue, LONGEST_VALUE } from '../../../content/fields/field-value.ts';
import { foldFieldName } from '../../../content/text/fold-name.ts';
import { execute, readCount, readRows, type Connection } from '../../../platform/database/statements.ts';
import { AppError, describeIssue, fieldError, type FieldError, type Issue } from '../../../platform/errors/errors.ts';
import { findNearest } from '../../../platform/errors/find-nearest.ts';
import type { WorkspaceId } from '../../../platform/database/schema.ts';
import { readFields, type Field } from './fields.ts';

/** By the id of the field. */
type Stored = Readonly<Record<string, string>>;

/** Values to give a group, by field; '' takes one away. What is not there stays. */
export interface GivenValues {
  groupId: number;
  values: ReadonlyMap<number, string>;
}

export interface ValueChange {
  groupId: number;
  fieldId: number;
  before: string | null;
  after: string | null;
}

/** Returns the values of groups by the names of their fields, in the order of the fields. A group without any has an empty object. */
export async function readNamedValues(
  db: Connection,
  workspaceId: WorkspaceId,
  groupIds: readonly number[],
): Promise<Map<number, Record<string, string>>> {
  const [fields, stored] = [await readFields(db, workspaceId), await selectValues(db, workspaceId, groupIds)];
  const name = (values: Stored) =>
    Object.fromEntries(
      fields.flatMap(({ fieldId, name: key }) => {
        const value = values[fieldId];
        return value === undefined ? [] : [[key, value] as const];
      }),
    );
  return new Map(groupIds.map((groupId) => [groupId, name(stored.get(groupId) ?? {})]));
}

async function selectValues(db: Connection, workspaceId: WorkspaceId, groupIds: readonly number[]) {
  const rows = await readRows<{ groupId: number; values: Stored }>(db)`
    select group_id as "groupId", field_values as values from group_values
    where workspace_id = ${workspaceId} and group_id = any(${[...groupIds]}::bigint[])`;
  return new Map(rows.map(({ groupId, values }) => [groupId, values]));
}

/** Returns what a change of values makes of them: no value that stays. */
export async function planValues(
  trx: Connection,
  workspaceId: WorkspaceId,
  given: readonly GivenValues[],
): Promise<ValueChange[]> {
  const groupIds = given.map(({ groupId }) => groupId);
  const stored = await selectValues(trx, workspaceId, groupIds);
  return given.flatMap(({ groupId, values }) =>
    Array.from(values, ([fieldId, value]) => {
      const [before, after] = [stored.get(groupId)?.[fieldId] ?? null, value === '' ? null : value];
      return { groupId, fieldId, before, after };
    }).filter(({ before, after }) => before !== after),
  );
}

const MOST_MEBIBYTES = 20;

/** Throws 409 if all values of the workspace would take more room than one has. Changes that only shorten values may always be made. */
export async function requireRoomForValues(
  db: Connection,
  workspaceId: WorkspaceId,
  changes: readonly ValueChange[],
): Promise<void> {
  const growth = changes.reduce(
    (sum, { before, after }) => sum + Buffer.byteLength(after ?? '') - Buffer.byteLength(before ?? ''),
    0,
  );
  if (growth <= 0) return;
  const bytes = await readCount(db)`
    select sum(octet_length(field_values::text)) from group_values where workspace_id = ${workspaceId}`;
  if (bytes + growth <= MOST_MEBIBYTES * 2 ** 20) return;
  throw new AppError(
    'value_limit_reached',
    `The values of all groups of the workspace would come to more than ${MOST_MEBIBYTES} MiB. Shorten or remove some.`,
  );
}

/** Makes planned changes. Throws 409 as above. */
export async function writeValues(
  trx: Connection,
  workspaceId: WorkspaceId,
  changes: readonly ValueChange[],
): Promise<void> {
  await requireRoomForValues(trx, workspaceId, changes);
  const rows = Map.groupBy(changes, ({ groupId }) => groupId);
  const written = Array.from(rows, ([groupId, ofGroup]) => ({
    groupId,
    kept: Object.fromEntries(ofGroup.flatMap(({ fieldId, after }) => (after === null ? [] : [[fieldId, after]]))),
    taken: ofGroup.flatMap(({ fieldId, after }) => (after === null ? [String(fieldId)] : [])),
  }));
  const json = JSON.stringify(written);
  await execute(trx)`
    insert into group_values (group_id, workspace_id, field_values)
    select w."groupId", ${workspaceId}::bigint, (coalesce(v.field_values, '{}') || w.kept) - w.taken
    from jsonb_to_recordset(${json}::jsonb) as w ("groupId" bigint, kept jsonb, taken text[])
    left join group_values v on v.group_id = w."groupId"
    on conflict (group_id) do update set field_values = excluded.field_values`;
  await execute(trx)`
    delete from group_values where group_id = any(${[...rows.keys()]}::bigint[]) and field_values = '{}'`;
}

/** A cell of a request or a sheet as a field has it, or what is wrong with it. */
export function readValue(field: Field, cell: string, readAs = readFieldValue): { value: string } | { problem: Issue } {
  const read = readAs(field.kind, cell);
  if ('value' in read) return read;
  return { problem: describeIssue(read.problem, read.problem === 'too_long' ? { limit: LONGEST_VALUE } : undefined) };
}

/** Finds fields by their names, folded. */
export function fieldsByName(fields: readonly Field[]): ReadonlyMap<string, Field> {
  return new Map(fields.map((field) => [foldFieldName(field.name), field]));
}

/** Says of a name that no field has it, and which one was meant. */
export function unknownField(place: string, name: string, fields: readonly Field[]): FieldError {
  const names = fields.map((field) => field.name);
  const meant = findNearest(name, names);
  return fieldError(place, 'unknown_group_field', {
    suggestion: meant === undefined ? '' : `; did you mean ${meant}?`,
  });
}
