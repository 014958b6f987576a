import { execute, readRow, type Connection } from '../../platform/database/statements.ts';
import type { Role, UserId, WorkspaceId } from '../../platform/database/schema.ts';
import type { MessageKey } from '../../platform/i18n/translator.ts';
import { joinChanges, type Change } from './diff-values.ts';

/** The caller, their workspace and their address, determined once per request. */
export interface Actor {
  userId: UserId;
  /** The workspace whose rows are accessed. Everything that is not about the person is looked up by it alone. */
  workspaceId: WorkspaceId;
  role: Role;
  /** The client's address; behind a proxy the one that the proxy reports. */
  address: string;
  /** Set when the request came with an API key. */
  apiKeyId?: number | undefined;
}

type Named<Key> = Key extends `audit.${infer Name}` ? Name : never;
/** The audited actions, with their wire names: object, then verb. Each is a sentence `audit.ACTION` in the catalogs. */
export type AuditAction = Exclude<Extract<Named<MessageKey>, `${string}.${string}`>, `${'fields' | 'kinds'}.${string}`>;

export interface AuditEntry extends Omit<Actor, 'role'> {
  action: AuditAction;
  /** The target of the action, as a short text: a campaign's id, or the name of a key or a group. */
  subject: string;
  /** The role that a member was given, or is invited to. */
  givenRole?: Role;
  /** The role that the member had before. */
  formerRole?: Role;
  /** What the action changed; never a secret. */
  changes?: readonly Change[];
}

/**
 * Writes an entry into the workspace's audit log (contract §4). Call it in the transaction of the action, so that both are committed or
 * neither.
 */
export async function recordAudit(trx: Connection, entry: AuditEntry): Promise<void> {
  const { workspaceId, userId, action, subject, address, apiKeyId = null, givenRole = null, formerRole = null } = entry;
  await execute(trx)`
    insert into audit_log (workspace_id, user_id, action, subject, address, api_key_id, given_role, former_role, changes)
    values (${workspaceId}, ${userId}, ${action}, ${subject}, ${address}, ${apiKeyId}, ${givenRole}, ${formerRole},
            ${storeChanges(entry.changes)})`;
}

/** Saves of one draft by one person within this time are one entry: editors save every few seconds. */
const JOINED_MINUTES = 10;

/**
 * As `recordAudit`, for an action that is repeated while a person works. Changes the latest entry instead if it is of the same person,
 * action and subject, and not older than 10 minutes: it then has the first values before and the last ones after.
 */
export async function recordRepeatedAudit(trx: Connection, entry: AuditEntry): Promise<void> {
  const latest = await readRow<{ entryId: number; changes: Change[] | null }>(trx)`
    select entry_id as "entryId", changes from audit_log
    where workspace_id = ${entry.workspaceId} and at > campanile_now() - ${JOINED_MINUTES} * interval '1 minute'
      and user_id = ${entry.userId} and action = ${entry.action} and subject = ${entry.subject}
      and api_key_id is not distinct from ${entry.apiKeyId ?? null}::bigint
    order by at desc, entry_id desc limit 1`;
  if (!latest) return recordAudit(trx, entry);
  const changes = storeChanges(joinChanges(latest.changes ?? [], entry.changes ?? []));
  await execute(trx)`update audit_log set changes = ${changes}::jsonb where entry_id = ${latest.entryId}`;
}

function storeChanges(changes: readonly Change[] | undefined): string | null {
  return changes === undefined || changes.length === 0 ? null : JSON.stringify(changes);
}
