import { sql, type Transaction } from 'kysely';
import type { Schema, WorkspaceId } from '../../platform/database/schema.ts';
import type { UserDependencies } from '../dependencies.ts';

/**
 * Gives a workspace its test workspace, unless it has one: a workspace without members, on which the test keys act. The workspace must
 * be locked, so that two keys do not create it twice.
 */
export async function ensureTestWorkspace(
  trx: Transaction<Schema>,
  workspaceId: WorkspaceId,
  onCreated: UserDependencies['onTestWorkspaceCreated'],
): Promise<void> {
  const { rows } = await sql<{ testId: WorkspaceId }>`
    insert into workspaces (test_of) values (${workspaceId})
    on conflict (test_of) where test_of is not null do nothing returning workspace_id as "testId"`.execute(trx);
  for (const { testId } of rows) await onCreated(trx, testId);
}
