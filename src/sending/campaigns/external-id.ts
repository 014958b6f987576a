import type { WorkspaceId } from '../../platform/database/schema.ts';
import { readValue, type Connection } from '../../platform/database/statements.ts';
import { AppError, fieldError } from '../../platform/errors/errors.ts';

/** What a program keeps with a campaign, and gets back in answers and events (ADR 0127). */
export interface OwnData {
  /** Its own id of it, unique in the workspace. */
  externalId?: string | undefined;
  /** Texts by key. */
  metadata?: Readonly<Record<string, string>> | undefined;
}

/** Returns the public id of the workspace's campaign with this external id; undefined: there is none. */
export function findByExternalId(
  db: Connection,
  workspaceId: WorkspaceId,
  externalId: string,
): Promise<string | undefined> {
  return readValue<string>(db)`
    select public_id from campaigns
    where workspace_id = ${workspaceId} and external_id = ${externalId} and deleted_at is null`;
}

/**
 * Throws 409, with the id of the campaign, if another one of the workspace than `except` has the external id. What is true after it as well
 * only with the ledger locked.
 */
export async function requireFreeExternalId(
  db: Connection,
  workspaceId: WorkspaceId,
  { externalId }: { externalId?: string | null | undefined },
  except?: string,
): Promise<void> {
  if (externalId === undefined || externalId === null) return;
  const first = await findByExternalId(db, workspaceId, externalId);
  if (first === undefined || first === except) return;
  throw new AppError('external_id_taken', `The campaign ${first} has this external_id already`, {
    details: [fieldError('external_id', 'taken_by', { campaign_id: first })],
  });
}
