import { sql, type RawBuilder } from 'kysely';

/** The order of a person's memberships `d`: the workspace that they own and have been in longest, then the others as they joined them. */
export const DEFAULT_FIRST = sql`d.role = 'owner' desc, d.joined_at, d.workspace_id`;

/** A lateral table `m` of one row: the membership of the user `u` that counts where a request names no workspace. */
export const DEFAULT_MEMBERSHIP: RawBuilder<unknown> = sql`lateral (
  select d.workspace_id, d.role from memberships d where d.user_id = u.user_id order by ${DEFAULT_FIRST} limit 1) m`;
