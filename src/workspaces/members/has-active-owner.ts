import { sql } from '../../platform/database/statements.ts';

/** Whether the owner of a workspace `w` is there and not disabled; of a test workspace that of the live one. For what strangers read by a link. */
export const HAS_ACTIVE_OWNER = sql<boolean>`exists (
  select from memberships m join users o on o.user_id = m.user_id
  where m.workspace_id = coalesce(w.test_of, w.workspace_id) and m.role = 'owner' and o.deleted_at is null and o.disabled_at is null)`;
