/** Values of groups from a sheet (contract §4, import-group-fields). */
import { setImmediate as letOthers } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { isReservedName } from '../../../content/fields/field-name.ts';
import { foldFieldName } from '../../../content/text/fold-name.ts';
import { readSheet, type Sheet, type SheetRow } from '../../../content/sheets/read-sheet.ts';
import { unescapeFormula } from '../../../content/sheets/escape-formula.ts';
import type { Connection, Database } from '../../../platform/database/statements.ts';
import { describeIssue, fieldError, invalid, type Issue } from '../../../platform/errors/errors.ts';
import type { IssueCode, IssueParams } from '../../../platform/errors/issues.ts';
import type { Actor } from '../../../workspaces/audit/record-audit.ts';
import { actOnce, findResult, type IdempotencyKey } from '../../../workspaces/idempotency/once.ts';
import { GROUPS_LISTED, prepareFindGroups, type FindGroups, type FoundGroup } from '../find-groups.ts';
import { lockFields, readFields, type Field } from './fields.ts';
import { recordValues } from './set-group-fields.ts';
import {
  fieldsByName,
  planValues,
  readValue,
  requireRoomForValues,
  writeValues,
  type GivenValues,
  type ValueChange,
} from './values.ts';

export interface ImportInput {
  bytes: Buffer;
  isDryRun: boolean;
  /** Imports the other rows if some cannot be. */
  skipsRefused: boolean;
}

export interface ListedChange {
  row: number;
  groupId: number;
  name: string;
  field: string;
  before: string | null;
  after: string | null;
}

export interface RefusedRow extends Issue {
  row: number;
  /** The name of the column; null: the row as a whole. */
  column: string | null;
}

export interface ImportReport {
  applied: boolean;
  rows: number;
  added: number;
  changed: number;
  cleared: number;
  unchanged: number;
  changes: ListedChange[];
  refused: RefusedRow[];
  unknown: Array<{ row: number; text: string }>;
  ambiguous: Array<{ row: number; text: string; groups: readonly FoundGroup[]; count: number }>;
  ignoredColumns: string[];
}

/** Rows and changes that a report lists. */
const LISTED_AT_MOST = 1_000;
/** To read so many takes some milliseconds, after which others have their turn. */
const ROWS_PER_STEP = 500;
const NAMED_ROWS = 20;
/** As many as set-group-fields takes. */
const GROUPS_PER_PART = 1_000;

/**
 * Reads a sheet whose first column names groups and whose other columns are named as fields, and gives the groups its values; an empty cell
 * takes one away. No row is imported if one cannot be, but for those that `skipsRefused` leaves out. A dry run only tells what would change.
 * A request that is cut off may have imported the first groups, in whole parts: to repeat it imports the others. Throws 400 for a file that
 * is no such sheet, for rows that cannot be imported, and if the fields change meanwhile, and 409 for more values than a workspace may have.
 */
export async function importGroupFields(
  { db }: { db: Database },
  actor: Actor,
  { bytes, isDryRun, skipsRefused }: ImportInput,
  key?: IdempotencyKey,
): Promise<ImportReport> {
  const first = await findResult<ImportReport>(db, key);
  if (first) return first;
  const { workspaceId } = actor;
  const sheet = await readSheet('file', bytes);
  const fields = await readFields(db, workspaceId);
  const columns = readColumns(sheet, fields);
  // As export-group-fields calls its first column.
  const onlyIds = sheet.rows[0]?.cells[0]?.trim() === 'group_metadata_id';
  const read = await readRows(sheet, columns, await prepareFindGroups(db, workspaceId, { onlyIds }));
  const isWhole = read.refused.length + read.unknown.length + read.ambiguous.length === 0;
  if (!isWhole && !isDryRun && !skipsRefused) throw rowsNotImportable(read);
  await requireRoomForValues(db, workspaceId, await planValues(db, workspaceId, read.given));
  const changes: ValueChange[] = [];
  async function importPart(trx: Connection, from: number): Promise<void> {
    requireSame(fields, await lockFields(trx, workspaceId));
    const part = await planValues(trx, workspaceId, read.given.slice(from, from + GROUPS_PER_PART));
    if (!isDryRun) {
      await writeValues(trx, workspaceId, part);
      await recordValues(trx, actor, fields, part);
    }
    changes.push(...part);
  }
  // Changes of values wait for a transaction.
  let from = 0;
  for (; from + GROUPS_PER_PART < read.given.length; from += GROUPS_PER_PART)
    await db.transaction().execute((trx) => importPart(trx, from));
  return db.transaction().execute((trx) =>
    actOnce(trx, key, async () => {
      await importPart(trx, from);
      const names = new Map(fields.map(({ fieldId, name }) => [fieldId, name]));
      const values = read.given.reduce((sum, { values: ofGroup }) => sum + ofGroup.size, 0);
      const count = (isOne: (change: (typeof changes)[number]) => boolean) => changes.filter(isOne).length;
      return {
        applied: !isDryRun,
        rows: sheet.rows.length - 1,
        added: count(({ before }) => before === null),
        changed: count(({ before, after }) => before !== null && after !== null),
        cleared: count(({ after }) => after === null),
        unchanged: values - changes.length,
        changes: changes.slice(0, LISTED_AT_MOST).map(({ groupId, fieldId, before, after }) => ({
          ...(read.rowOf.get(groupId) ?? { row: 0, name: '' }),
          groupId,
          field: names.get(fieldId) ?? '',
          before,
          after,
        })),
        refused: read.refused.slice(0, LISTED_AT_MOST),
        unknown: read.unknown.slice(0, LISTED_AT_MOST),
        ambiguous: read.ambiguous.slice(0, LISTED_AT_MOST),
        ignoredColumns: columns.ignored,
      };
    }),
  );
}

/** Throws 400 if a field is gone, or has another name or kind, since the sheet was read. */
function requireSame(before: readonly Field[], now: readonly Field[]): void {
  if (!isDeepStrictEqual(before, now)) throw invalid([fieldError('file', 'fields_changed')]);
}

interface Columns {
  /** By their place in the sheet. */
  fields: ReadonlyMap<number, Field>;
  /** How many the first row has. */
  count: number;
  ignored: string[];
}

/** Returns which column is which field. Throws 400 if none is, or two are one. */
function readColumns({ rows }: Sheet, fields: readonly Field[]): Columns {
  const [, ...names] = rows[0]?.cells ?? [];
  const byName = fieldsByName(fields);
  const found = names.flatMap((name, index) => {
    const field = byName.get(foldFieldName(unescapeFormula(name)));
    return field ? [[index + 1, field] as const] : [];
  });
  const columns = new Map(found);
  const twice = found.find(([, field], index) => found.findIndex(([, one]) => one === field) < index);
  if (twice) throw invalid([fieldError('file', 'sheet_column_twice', { name: twice[1].name })]);
  if (columns.size === 0) {
    const known = fields.map(({ name }) => name).join(', ') || '–';
    throw invalid([fieldError('file', 'sheet_no_fields', { names: known })]);
  }
  const isLeftOut = (name: string, index: number) =>
    name.trim() !== '' && !columns.has(index + 1) && !isReservedName(name);
  return {
    fields: columns,
    count: names.length + 1,
    ignored: names.filter(isLeftOut).map((name) => name.slice(0, 200)),
  };
}

interface RowsRead extends Pick<ImportReport, 'refused' | 'unknown' | 'ambiguous'> {
  given: GivenValues[];
  rowOf: Map<number, { row: number; name: string }>;
}

async function readRows(sheet: Sheet, columns: Columns, find: FindGroups): Promise<RowsRead> {
  const read: RowsRead = { given: [], rowOf: new Map(), refused: [], unknown: [], ambiguous: [] };
  for (const [index, row] of sheet.rows.entries()) {
    if (index === 0) continue;
    if (index % ROWS_PER_STEP === 0) await letOthers();
    readRow(row, sheet, columns, find, read);
  }
  return read;
}

function readRow({ row, cells }: SheetRow, sheet: Sheet, columns: Columns, find: FindGroups, read: RowsRead): void {
  const refuse = (code: IssueCode, params?: IssueParams) =>
    read.refused.push({ row, column: null, ...describeIssue(code, params) });
  const fault = sheet.faults.get(row);
  if (fault) return void refuse(fault);
  const text = unescapeFormula(cells[0] ?? '').trim();
  if (text === '') return void refuse('sheet_no_group');
  // A comma or semicolon that nobody has quoted.
  if (cells.length > columns.count && cells.slice(columns.count).some((cell) => cell.trim() !== ''))
    return void refuse('sheet_row_long');
  const groups = find(text);
  const [group, ...others] = groups;
  const shown = text.slice(0, 200);
  if (!group) return void read.unknown.push({ row, text: shown });
  if (others.length > 0)
    return void read.ambiguous.push({
      row,
      text: shown,
      groups: groups.slice(0, GROUPS_LISTED),
      count: groups.length,
    });
  const earlier = read.rowOf.get(group.groupId);
  if (earlier) return void refuse('sheet_group_twice', { row: earlier.row });
  read.rowOf.set(group.groupId, { row, name: group.name });
  const values = new Map<number, string>();
  const before = read.refused.length;
  for (const [place, field] of columns.fields) {
    const value = readValue(field, unescapeFormula(cells[place] ?? ''));
    if ('value' in value) values.set(field.fieldId, value.value);
    else read.refused.push({ row, column: field.name, ...value.problem });
  }
  if (read.refused.length === before) read.given.push({ groupId: group.groupId, values });
}

/** Names the first rows that cannot be imported. */
function rowsNotImportable({ refused, unknown, ambiguous }: RowsRead) {
  const rows = [
    ...refused.map((one) => ({ ...one, place: one.column === null ? one.row : `${one.row}.${one.column}` })),
    ...unknown.map(({ row }) => ({ row, place: row, ...describeIssue('sheet_unknown_group') })),
    ...ambiguous.map(({ row }) => ({ row, place: row, ...describeIssue('sheet_ambiguous_group') })),
  ].toSorted((one, other) => one.row - other.row);
  const details = rows.map(({ place, issue, code, params }) => ({
    field: `file.${place}`,
    issue,
    ...(code && { code }),
    ...(params && { params }),
  }));
  const count = details.length;
  return invalid(
    details.slice(0, NAMED_ROWS),
    `${count} of the rows cannot be imported, so none was. A dry run lists them; skip_refused imports the others`,
  );
}
