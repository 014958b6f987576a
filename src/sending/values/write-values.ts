/** The values that deliveries are given: they are fixed as a run begins, so that each attempt and each correction says the same. */
import {
  execute,
  readRow,
  readRows,
  sql,
  type Connection,
  type Database,
  type RawBuilder,
} from '../../platform/database/statements.ts';
import type { WorkspaceId } from '../../platform/database/schema.ts';
import type { FieldValues, Template } from '../../content/post/fill-post.ts';
import { joinValues, readRunContext, selectValues } from './select-values.ts';

interface Run {
  workspaceId: WorkspaceId;
  runId: number;
}

/** Some deliveries of a run. */
export interface RunPiece extends Run {
  /** A condition on the delivery `d`. */
  which: RawBuilder<boolean>;
}

/** What decides the values of a run with fields. */
export interface ValuedRun {
  template: Template;
  dueAt: Date;
  timeZone: string | null;
}

/** Undefined: the post of the run has no fields. */
export function readRun(db: Connection, { workspaceId, runId }: Run): Promise<ValuedRun | undefined> {
  return readRow<ValuedRun>(db)`
    select t.template, r.due_at as "dueAt", c.time_zone as "timeZone"
    from runs r join contents t on t.content_id = r.content_id join campaigns c on c.campaign_id = r.campaign_id
    where r.workspace_id = ${workspaceId} and r.run_id = ${runId} and t.template is not null`;
}

/** What becomes of values that deliveries already have. `new`: they have none, since they were just written. */
export type Former = 'new' | 'replaced' | 'kept';

/** Returns the statement that gives these deliveries values. */
export async function insertValues(
  { workspaceId, runId, which }: RunPiece,
  { template, dueAt, timeZone }: ValuedRun,
  { trx, installationZone, former }: { trx: Connection; installationZone: string; former: Former },
): Promise<RawBuilder<unknown>> {
  const ofPiece = sql`d.workspace_id = ${workspaceId} and d.run_id = ${runId} and ${which}`;
  const groups = sql`(select d.group_id from deliveries d where ${ofPiece}) i`;
  const context = await readRunContext(trx, { workspaceId, dueAt, timeZone, installationZone }, { template, groups });
  // Looking for a conflict costs as much as the row.
  const onConflict = sql`
    on conflict (workspace_id, run_id, position) do update
    set field_values = ${former === 'replaced' ? sql`excluded.field_values` : sql`excluded.field_values || o.field_values`}`;
  return sql`
    insert into delivery_values as o (workspace_id, run_id, position, field_values)
    select d.workspace_id, d.run_id, d.position, ${selectValues(template, context)}
    from deliveries d ${joinValues(template, { workspaceId, groupId: sql`d.group_id` })}
    where ${ofPiece}
    ${former === 'new' ? sql`` : onConflict}
    returning position, field_values`;
}

/**
 * Returns the values of deliveries of a run, by their positions. Fields that a correction has brought in are read now, and kept.
 */
export async function readValues(
  db: Database,
  { workspaceId, runId, positions }: Run & { positions: readonly number[] },
  template: Template,
  installationZone: string,
): Promise<Map<number, FieldValues>> {
  const keys = Object.keys(template.fields);
  const read = () => readRows<{ position: number; fieldValues: FieldValues }>(db)`
    select position, field_values as "fieldValues" from delivery_values
    where workspace_id = ${workspaceId} and run_id = ${runId} and position = any(${[...positions]}::int[])`;
  const known = toMap(await read());
  const isWhole = (position: number) => {
    const values = known.get(position);
    return keys.every((key) => values && Object.hasOwn(values, key));
  };
  const incomplete = positions.filter((position) => !isWhole(position));
  if (incomplete.length === 0) return known;
  const run = await readRun(db, { workspaceId, runId });
  if (!run) throw new Error(`it is not known what run ${runId} says`);
  const piece = { workspaceId, runId, which: sql<boolean>`d.position = any(${incomplete}::int[])` };
  await execute(db)`${await insertValues(piece, { ...run, template }, { trx: db, installationZone, former: 'kept' })}`;
  return toMap(await read());
}

const toMap = (rows: ReadonlyArray<{ position: number; fieldValues: FieldValues }>) =>
  new Map(rows.map(({ position, fieldValues }) => [position, fieldValues]));
