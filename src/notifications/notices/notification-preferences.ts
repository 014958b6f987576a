/** The users' notification preferences. */
import { execute, type Database } from '../../platform/database/statements.ts';
import type { Actor } from '../../workspaces/audit/record-audit.ts';
import type { NoticeKind, NoticeChannels } from './kinds.ts';
import { readPreferences } from './notice-store.ts';

export type Choice = { kind: NoticeKind } & { [Way in keyof NoticeChannels]?: boolean | undefined };

/** Changes the given preferences. Returns the new channels of each kind. */
export async function setNotificationPreferences(
  { db }: { db: Database },
  { userId }: Actor,
  choices: readonly Choice[],
): Promise<Record<NoticeKind, NoticeChannels>> {
  return db.transaction().execute(async (trx) => {
    await execute(trx)`select from users where user_id = ${userId} for no key update`;
    const ways = await readPreferences(trx, userId);
    for (const { kind, bell, browser, email } of choices) {
      const now = ways[kind];
      ways[kind] = { bell: bell ?? now.bell, browser: browser ?? now.browser, email: email ?? now.email };
    }
    const rows = [...new Set(choices.map(({ kind }) => kind))].map((kind) => ({ kind, ...ways[kind] }));
    await execute(trx)`
      insert into notice_choices (user_id, kind, bell, browser, email)
      select ${userId}, kind, bell, browser, email
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) c (kind text, bell boolean, browser boolean, email boolean)
      on conflict (user_id, kind) do update set bell = excluded.bell, browser = excluded.browser, email = excluded.email`;
    // Waiting notices leave a channel that is switched off.
    await execute(trx)`
      update notice_turns t set waiting = 0
      from notice_choices c
      where t.user_id = ${userId} and c.user_id = t.user_id and c.kind = t.kind
        and not case when t.subscription_id is null then c.email else c.browser end`;
    return ways;
  });
}
