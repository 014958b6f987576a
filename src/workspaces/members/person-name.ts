import { sql } from 'kysely';
import type { UserId } from '../../platform/database/schema.ts';

/** Somebody who acted in a workspace. Without names they have left it, or were deleted. */
export interface MemberName {
  userId: UserId;
  userName: string | null;
  /** As in `PERSON_NAME`. */
  name: string | null;
}

/** SQL: first and last name of the user `u`, or their user name if they have neither. */
export const PERSON_NAME = sql<string>`coalesce(nullif(trim(u.first_name || ' ' || u.last_name), ''), u.user_name)`;
