/** What programs keep with campaigns, groups, group lists and accounts, and get back in answers and events (ADR 0127). */
import { diffValues } from '../../workspaces/audit/diff-values.ts';
import type { WorkspaceId } from '../../platform/database/schema.ts';
import { execute, readValue, sql, type Connection, type RawBuilder } from '../../platform/database/statements.ts';
import { AppError, fieldError } from '../../platform/errors/errors.ts';

export interface OwnData {
  /** Its own id of the object, unique in the workspace among those of its kind. In a change, '' takes it away. */
  externalId?: string | undefined;
  /** Texts by key. A change replaces all of them. */
  metadata?: Readonly<Record<string, string>> | undefined;
}

/** The same of an object. */
export interface StoredOwnData {
  externalId: string | null;
  metadata: Record<string, string>;
}

/** The type of the id that requests know an object by. */
interface Ids {
  campaign: string;
  group: number;
  groupList: number;
  account: number;
}
type Kind = keyof Ids;

/** `field`: what requests call its id, which the column `id` has. What is not there any more keeps its external id from nobody. */
const KINDS = {
  campaign: {
    noun: 'campaign',
    field: 'campaign_id',
    table: sql`campaigns`,
    id: sql`public_id`,
    isThere: sql`deleted_at is null`,
  },
  group: { noun: 'group', field: 'group_metadata_id', table: sql`groups`, id: sql`group_id`, isThere: sql`true` },
  groupList: {
    noun: 'group list',
    field: 'group_list_id',
    table: sql`group_lists`,
    id: sql`group_list_id`,
    isThere: sql`true`,
  },
  account: {
    noun: 'account',
    field: 'account_id',
    table: sql`accounts`,
    id: sql`account_id`,
    isThere: sql`removed_at is null`,
  },
} as const satisfies Record<Kind, object>;

/** Returns the id of the workspace's object with this external id; undefined: there is none. */
export function findByExternalId<K extends Kind>(
  db: Connection,
  kind: K,
  { workspaceId, externalId }: { workspaceId: WorkspaceId; externalId: string },
): Promise<Ids[K] | undefined> {
  const { table, id, isThere } = KINDS[kind];
  return readValue<Ids[K]>(db)`
    select ${id} from ${table} where workspace_id = ${workspaceId} and external_id = ${externalId} and ${isThere}`;
}

/**
 * Throws 409, with the id of the first, if another object of the kind than `except` has the external id in the workspace. What is true after it as
 * well only with the ledger locked.
 */
export async function requireFreeExternalId<K extends Kind>(
  db: Connection,
  kind: K,
  { workspaceId, externalId, except }: { workspaceId: WorkspaceId; except?: Ids[K] | undefined } & OwnData,
): Promise<void> {
  if (!externalId) return;
  const first = await findByExternalId(db, kind, { workspaceId, externalId });
  if (first === undefined || first === except) return;
  const { noun, field } = KINDS[kind];
  throw new AppError('external_id_taken', `The ${noun} ${first} has this external_id already`, {
    details: [fieldError('external_id', 'taken_by', { kind: noun, [field]: first })],
  });
}

/** Changes what is given, and nothing else. The ledger must be locked. Throws as `requireFreeExternalId` does. */
export async function changeOwnData<K extends Kind>(
  trx: Connection,
  kind: K,
  { workspaceId, id }: { workspaceId: WorkspaceId; id: Ids[K] },
  { externalId, metadata }: OwnData,
): Promise<void> {
  if (externalId === undefined && metadata === undefined) return;
  await requireFreeExternalId(trx, kind, { workspaceId, externalId, except: id });
  const of = KINDS[kind];
  await execute(trx)`
    update ${of.table} set external_id = nullif(coalesce(${externalId ?? null}::text, external_id), ''),
                           metadata = coalesce(${metadata ? JSON.stringify(metadata) : null}::jsonb, metadata)
    where workspace_id = ${workspaceId} and ${of.id} = ${id}`;
}

/** Returns what a change makes of it, for the audit log. */
export function diffOwnData(before: StoredOwnData | undefined, { externalId, metadata }: OwnData) {
  return diffValues(
    { external_id: before?.externalId, metadata: before?.metadata },
    { external_id: externalId === undefined ? undefined : externalId || null, metadata },
  );
}

/** The condition of a list: rows that have this id, and each of these texts. */
export function hasOwnData({ externalId, metadata }: OwnData): RawBuilder<boolean> {
  // Only where they are asked for: the planner takes each for a condition that few rows meet.
  const hasId = externalId === undefined ? sql`true` : sql`external_id = ${externalId}`;
  const hasTexts = metadata === undefined ? sql`true` : sql`metadata @> ${JSON.stringify(metadata)}::jsonb`;
  return sql`(${hasId} and ${hasTexts})`;
}
