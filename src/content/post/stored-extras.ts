import { sql, type RawBuilder } from 'kysely';
import type { PostExtras } from './post-extras.ts';

/** The extras of the row `t` of `contents`. Documents of 0.1.0 were named after their campaign, and go on to be. */
export const STORED_EXTRAS: RawBuilder<PostExtras> = sql`
  coalesce(t.extras, '{}') || case when t.name is not null and t.media_id is not null and not coalesce(t.extras ? 'fileName', false)
                              then jsonb_build_object('fileName', t.name) else '{}' end`;
