import { sql } from 'kysely';
import type { Database } from '../../src/platform/database/statements.ts';
import type { AccountId, UserId, WorkspaceId } from '../../src/platform/database/schema.ts';

/** Counts the rows of the user, the workspace or the account in each table that has any, including tables added later. */
export async function countRemainingRows(
  db: Database,
  { userId, workspaceId, accountId }: { userId: UserId; workspaceId: WorkspaceId; accountId: AccountId },
): Promise<Record<string, number>> {
  const { rows: columns } = await sql<{ table: string; owner: string }>`
    select c.table_name as table, c.column_name as owner from information_schema.columns c
    join information_schema.tables t using (table_schema, table_name)
    where c.table_schema = 'public' and t.table_type = 'BASE TABLE' and c.column_name in ('user_id', 'workspace_id', 'account_id')
    order by 1, 2`.execute(db);
  const ids: Readonly<Record<string, number>> = { user_id: userId, workspace_id: workspaceId, account_id: accountId };
  const remains: Record<string, number> = {};
  for (const { table, owner } of columns) {
    const id = ids[owner];
    const { rows } = await sql<{ count: number }>`
      select count(*) from ${sql.table(table)} where ${sql.ref(owner)} = ${id}`.execute(db);
    const count = rows[0]?.count ?? 0;
    if (count > 0) remains[table] = count;
  }
  return remains;
}

/** Rows that stay for a few minutes after a user is deleted: one each, without personal data. */
export const HUSK = { accounts: 1, memberships: 1, users: 1, workspaces: 1 };
