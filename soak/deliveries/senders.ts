import { sql } from 'kysely';
import type { Database } from '../../src/platform/database/connect.ts';
import type { Chat } from '../../test/witness/protocol.ts';
import { signUp } from '../../bench/support/client.ts';
import type { Ask } from './ask.ts';
import { addSecond } from './second-account.ts';
import type { AccountId } from '../../src/platform/database/schema.ts';

/** A user with groups, who sends one campaign after the other. */
export interface Sender {
  name: string;
  token: string;
  accountId: AccountId;
  /** Sends one post at a time, with the gap between; else a whole turn at once. */
  paced: boolean;
  groups: SenderGroup[];
  /** The second account of the workspace, which sends to half of the groups; undefined: there is none. */
  second?: number;
}

export interface SenderGroup {
  groupId: number;
  chatId: string;
}

export interface SenderPlan {
  name: string;
  groups: number;
  paced: boolean;
  /** The workspace has a second account, which is logged out in the middle of the soak. It must not be paced. Default is `false`. */
  hasSecond?: boolean;
}

const AT_ONCE = 6;

/** Signs a sender up and creates their groups. */
export async function createSender(url: string, db: Database, plan: SenderPlan, ask: Ask): Promise<Sender> {
  const { token } = await signUp(url, plan.name);
  const accountId = await findAccount(db, plan);
  const sender: Sender = { name: plan.name, token, accountId, paced: plan.paced, groups: [] };
  for (let begun = 0; begun < plan.groups; begun += AT_ONCE)
    await Promise.all(
      Array.from({ length: Math.min(AT_ONCE, plan.groups - begun) }, (_, index) =>
        ask(sender, 'venom/create-group', { group_name: `Group ${begun + index}`, participants: [] }),
      ),
    );
  let cursor: string | null = null;
  do {
    const { data }: { data: ListedGroups } = await ask<ListedGroups>(sender, 'venom/list-groups', {
      limit: 500,
      cursor,
    });
    for (const { group_metadata_id: groupId, nid } of data.groups)
      sender.groups.push({ groupId, chatId: `${nid.user}@${nid.server}` satisfies Chat['chatId'] });
    cursor = data.next_cursor;
  } while (cursor !== null);
  if (plan.hasSecond) sender.second = await addSecond(sender, ask);
  return sender;
}

interface ListedGroups {
  groups: Array<{ group_metadata_id: number; nid: { user: string; server: string } }>;
  next_cursor: string | null;
}

/**
 * Sets the account's messenger, whose name decides the pace, in the database: no operation does that. Returns the account's id, by which
 * the witness knows it.
 */
async function findAccount(db: Database, { name, paced }: SenderPlan): Promise<AccountId> {
  const messenger = paced ? 'whatsapp' : 'sandbox';
  const { rows } = await sql<{ account_id: AccountId }>`
    update accounts a set messenger = ${messenger}, status = 'connected'
    from users u join memberships m using (user_id)
    where m.workspace_id = a.workspace_id and u.user_name = ${name} returning a.account_id`.execute(db);
  const accountId = rows[0]?.account_id ?? (0 as AccountId);
  await sql`update lanes set messenger = ${messenger} where account_id = ${accountId}`.execute(db);
  return accountId;
}
