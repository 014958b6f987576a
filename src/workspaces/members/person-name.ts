import { sql } from 'kysely';

/** SQL: first and last name of the user `u`, or their user name if they have neither. */
export const PERSON_NAME = sql<string>`coalesce(nullif(trim(u.first_name || ' ' || u.last_name), ''), u.user_name)`;
