import { randomBytes, randomInt } from 'node:crypto';
import { sql } from 'kysely';
import type { Connection, Database } from '../../platform/database/connect.ts';
import { createBatcher } from '../../platform/concurrency/batcher.ts';
import { isDataError } from '../../platform/errors/database-errors.ts';
import { AppError, invalid } from '../../platform/errors/errors.ts';
import type { GroupKind, MessengerGroup, NewCommunity } from '../messenger.ts';
import { lockAccounts } from './forget.ts';
import { fieldError } from '../../platform/errors/issues.ts';
import type { AccountId, WorkspaceId } from '../../platform/database/schema.ts';

/** WhatsApp's limits. */
const NAME_LIMIT = 100;
const DESCRIPTION_LIMIT = 2_048;
const PARTICIPANT_LIMIT = 1_023;

/** The groups of a new account, so that a first campaign can be sent at once (contract §6). */
const FIRST_GROUPS = [
  { name: 'Chess friends', members: 4 },
  { name: 'Running club', members: 24 },
  { name: 'Village news', members: 120 },
] as const;
const FIRST_COMMUNITY_MEMBERS = 12;
/** As WhatsApp names it. */
const GENERAL_CHAT = 'General';
const FIRST_CHANNEL_FOLLOWERS = 40;

type ChatKind = GroupKind | 'announcement';

interface NewChat {
  chatId: string;
  kind: ChatKind;
  parentId?: string;
  name: string;
  description: string;
  participants: readonly string[];
  picture?: Buffer | null;
}

interface ChatRow {
  chat_id: string;
  send_to: string;
  kind: GroupKind;
  name: string;
  participants: number;
  invite_code: string;
  is_admin: boolean;
  created_at: Date;
}

/** An account of the sandbox, and the workspace whose groups it is a member of. */
export interface SandboxAccount {
  accountId: AccountId;
  workspaceId: WorkspaceId;
}

/**
 * Creates accounts, and with the first of a workspace its first groups. Idempotent. Resolves to whether the account is banned. The accounts
 * of simultaneous calls are looked up together: most exist already.
 */
export function createPlanter(db: Database): (account: SandboxAccount) => Promise<boolean> {
  const known = createBatcher((accountIds: AccountId[]) => readBans(db, accountIds), {
    parallel: 2,
    most: 500,
    isAboutItem: isDataError,
  });
  return async (account) => {
    const isBanned = await known.add(account.accountId);
    if (isBanned === undefined) await plant(db, account);
    return isBanned === true;
  };
}

/** Undefined for accounts that do not exist yet. */
async function readBans(db: Connection, accountIds: AccountId[]): Promise<Array<boolean | undefined>> {
  const { rows } = await sql<{ account_id: AccountId; is_banned: boolean }>`
    select account_id, is_banned from sandbox_accounts where account_id = any(${accountIds}::bigint[])`.execute(db);
  const bans = new Map(rows.map((row) => [row.account_id, row.is_banned]));
  return accountIds.map((accountId) => bans.get(accountId));
}

async function plant(db: Database, { accountId, workspaceId }: SandboxAccount): Promise<void> {
  await db.transaction().execute(async (trx) => {
    // Two accounts of a workspace that come at once: the second finds the groups of the first.
    await lockAccounts(trx, workspaceId);
    const { rows } = await sql<{ isFirst: boolean }>`
      insert into sandbox_accounts (account_id, workspace_id) values (${accountId}, ${workspaceId}) on conflict do nothing
      returning not exists (
        select from sandbox_accounts o where o.workspace_id = ${workspaceId} and o.account_id <> ${accountId}) as "isFirst"`.execute(
      trx,
    );
    if (!rows[0]?.isFirst) return;
    for (const [index, group] of FIRST_GROUPS.entries()) {
      // The id derives from the account's, so that two processes cannot create it twice.
      const chatId = `120363${String(accountId * FIRST_GROUPS.length + index).padStart(12, '0')}@g.us`;
      const participants = inventPeople(group.members, accountId * 1_000 + index * 200);
      await insertChat(trx, workspaceId, { chatId, kind: 'group', name: group.name, description: '', participants });
    }
  });
}

/** The chats of which the account is a member; an announcement group is listed as its community. */
export async function listChats(db: Connection, { accountId, workspaceId }: SandboxAccount): Promise<MessengerGroup[]> {
  const { rows } = await selectChats(
    accountId,
    sql`c.workspace_id = ${workspaceId} and c.kind <> 'announcement' and ${accountId} <> all (c.removed_accounts)`,
  ).execute(db);
  return rows.map(toGroup);
}

export async function createGroupChat(
  db: Database,
  { accountId, workspaceId }: SandboxAccount,
  group: { name: string; participants: readonly string[]; ownNumber: string },
): Promise<MessengerGroup> {
  checkTexts(group.name, '');
  const participants = [...new Set(group.participants)].filter((number) => number !== group.ownNumber);
  if (participants.length > PARTICIPANT_LIMIT)
    throw invalid([fieldError('participants', 'too_many_people', { limit: PARTICIPANT_LIMIT })]);
  const chatId = newChatId('g.us');
  await insertChat(db, workspaceId, { chatId, kind: 'group', name: group.name, description: '', participants });
  return readChat(db, accountId, chatId);
}

/** A community, its announcement group, a general chat if asked for, and a few members. */
export async function createCommunityChats(
  db: Database,
  { accountId, workspaceId }: SandboxAccount,
  { name, description, hasGeneralChat }: NewCommunity,
): Promise<MessengerGroup> {
  checkTexts(name, description);
  const chatId = newChatId('g.us');
  const participants = inventPeople(FIRST_COMMUNITY_MEMBERS, randomInt(1_000_000));
  await db.transaction().execute(async (trx) => {
    await insertChat(trx, workspaceId, { name, description, chatId, kind: 'community', participants });
    const announcement = {
      name,
      description,
      chatId: newChatId('g.us'),
      kind: 'announcement',
      parentId: chatId,
    } as const;
    await insertChat(trx, workspaceId, { ...announcement, participants });
    const general = { name: GENERAL_CHAT, description: '', chatId: newChatId('g.us'), kind: 'group' } as const;
    if (hasGeneralChat) await insertChat(trx, workspaceId, { ...general, participants });
  });
  return readChat(db, accountId, chatId);
}

export async function createChannelChat(
  db: Database,
  { accountId, workspaceId }: SandboxAccount,
  channel: { name: string; description: string; picture: Buffer | null },
): Promise<MessengerGroup> {
  checkTexts(channel.name, channel.description);
  const chatId = newChatId('newsletter');
  const participants = inventPeople(FIRST_CHANNEL_FOLLOWERS, randomInt(1_000_000));
  await insertChat(db, workspaceId, { ...channel, chatId, kind: 'channel', participants });
  return readChat(db, accountId, chatId);
}

function checkTexts(name: string, description: string) {
  if (name.length > NAME_LIMIT) throw invalid([fieldError('name', 'too_long', { limit: NAME_LIMIT })]);
  if (description.length > DESCRIPTION_LIMIT)
    throw invalid([fieldError('description', 'too_long', { limit: DESCRIPTION_LIMIT })]);
}

async function insertChat(db: Connection, workspaceId: WorkspaceId, chat: NewChat): Promise<void> {
  await sql`
    insert into sandbox_chats (chat_id, workspace_id, kind, parent_id, name, description, invite_code, participants, picture)
    values (${chat.chatId}, ${workspaceId}, ${chat.kind}, ${chat.parentId ?? null}, ${chat.name}, ${chat.description},
            ${randomBytes(12).toString('base64url')}, ${chat.participants}, ${chat.picture ?? null})
    on conflict (chat_id) do nothing`.execute(db);
}

export async function readChat(db: Connection, accountId: AccountId, chatId: string): Promise<MessengerGroup> {
  const row = (await selectChats(accountId, sql`c.chat_id = ${chatId}`).execute(db)).rows[0];
  if (!row) throw new AppError('group_not_found', 'The chat does not exist');
  return toGroup(row);
}

function selectChats(accountId: AccountId, where: ReturnType<typeof sql>) {
  return sql<ChatRow>`
    select c.chat_id, coalesce(a.chat_id, c.chat_id) as send_to, c.kind, c.name, c.invite_code, c.created_at,
           ${accountId} <> all (c.demoted_accounts) as is_admin,
           cardinality(c.participants) + case c.kind when 'channel' then 0 else 1 end as participants
    from sandbox_chats c left join sandbox_chats a on a.parent_id = c.chat_id
    where ${where}
    order by c.created_at, c.chat_id`;
}

function toGroup(row: ChatRow): MessengerGroup {
  const host = row.kind === 'channel' ? 'https://whatsapp.com/channel' : 'https://chat.whatsapp.com';
  return {
    chatId: row.chat_id,
    sendTo: row.send_to,
    kind: row.kind,
    name: row.name,
    participants: row.participants,
    inviteLink: `${host}/${row.invite_code}`,
    canSend: row.is_admin,
    isAdmin: row.is_admin,
    createdAt: row.created_at,
  };
}

function newChatId(server: 'g.us' | 'newsletter'): string {
  return `120363${randomInt(10 ** 12)
    .toString()
    .padStart(12, '0')}@${server}`;
}

/** Fictitious phone numbers: the 555 block is reserved for fiction. */
function inventPeople(count: number, from: number): string[] {
  return Array.from({ length: count }, (_, index) => `1555${String((from + index) % 10 ** 7).padStart(7, '0')}`);
}
