/** The batches over many accounts, each with how to give it work, and how to make it fail for one of them. */
import { sql } from 'kysely';
import type { BatchName } from '../../../src/platform/database/quarantine.ts';
import type { Database } from '../../../src/platform/database/statements.ts';
import type { Owner } from '../../support/ledger.ts';
import type { Poison } from '../../support/poison.ts';
import type { TestDatabase } from '../../support/database.ts';
import type { Turns } from '../../support/turns.ts';

/** The environment of a case. */
export interface Scene {
  database: TestDatabase;
  db: Database;
  turns: Turns;
}

/** A batch, and how one account can make it fail. */
export interface Case {
  batch: BatchName;
  /** The id of the owner at fault that fails. */
  poison: (owner: Owner) => Poison;
  /** Gives every owner the same work. */
  prepare: (scene: Scene, owners: readonly Owner[]) => Promise<void>;
  /** One step of the loop; may throw. */
  step?: (scene: Scene, owners: readonly Owner[]) => Promise<unknown>;
  /** Starts the loop itself, where that is simpler. Resolves to the function that stops it. */
  start?: (scene: Scene, owners: readonly Owner[]) => Promise<() => Promise<unknown>>;
  /** Whether the owner's work is done. */
  isDone: (scene: Scene, owner: Owner) => Promise<boolean>;
}

export const ofAccount =
  (table: string, on?: Poison['on']) =>
  ({ accountId }: Owner): Poison => ({ table, column: 'account_id', value: accountId, ...(on && { on }) });
export const ofWorkspace =
  (table: string, on?: Poison['on']) =>
  ({ workspaceId }: Owner): Poison => ({ table, column: 'workspace_id', value: workspaceId, ...(on && { on }) });
export const ofUser =
  (table: string, on?: Poison['on']) =>
  ({ userId }: Owner): Poison => ({ table, column: 'user_id', value: userId, ...(on && { on }) });

/** Whether a statement finds a row. */
export async function finds(db: Database, statement: ReturnType<typeof sql>): Promise<boolean> {
  const { rows } = await statement.execute(db);
  return rows.length > 0;
}

export const idsOf = (owners: readonly Owner[]) => owners.map(({ accountId }) => accountId);
export const workspacesOf = (owners: readonly Owner[]) => owners.map(({ workspaceId }) => workspaceId);
