import { randomBytes, randomInt } from 'node:crypto';
import { execute, readRows, readValue, sql, type RawBuilder } from '../../platform/database/statements.ts';
import type { Connection, Database } from '../../platform/database/statements.ts';
import { AppError, invalid, fieldError } from '../../platform/errors/errors.ts';
import { FICTITIOUS, isSameNumber } from '../../platform/phone/phone-number.ts';
import type { GroupKind, MessengerGroup, NewCommunity } from '../messenger.ts';
import { lockAccounts } from './forget.ts';
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

/** An account of the sandbox, and the workspace whose groups it is a member of. */
export interface SandboxAccount {
  accountId: AccountId;
  workspaceId: WorkspaceId;
}

/** Creates an account, and with the first of a workspace its first groups. Idempotent. Resolves to whether the account is banned. */
export async function plant(db: Database, account: SandboxAccount): Promise<boolean> {
  const isBanned = await readValue<boolean>(db)`
    select is_banned from sandbox_accounts where account_id = ${account.accountId}`;
  if (isBanned === undefined) await createAccount(db, account);
  return isBanned === true;
}

async function createAccount(db: Database, { accountId, workspaceId }: SandboxAccount): Promise<void> {
  await db.transaction().execute(async (trx) => {
    // Two accounts of a workspace that come at once: the second finds the groups of the first.
    await lockAccounts(trx, workspaceId);
    const isFirst = await readValue<boolean>(trx)`
      insert into sandbox_accounts (account_id, workspace_id) values (${accountId}, ${workspaceId}) on conflict do nothing
      returning not exists (
        select from sandbox_accounts o where o.workspace_id = ${workspaceId} and o.account_id <> ${accountId}) as "isFirst"`;
    if (!isFirst) return;
    for (const [index, group] of FIRST_GROUPS.entries()) {
      // The id derives from the account's, so that two processes cannot create it twice.
      const chatId = `120363${String(accountId * FIRST_GROUPS.length + index).padStart(12, '0')}@g.us`;
      const participants = inventPeople(group.members, accountId * 1_000 + index * 200);
      await insertChat(trx, workspaceId, { chatId, kind: 'group', name: group.name, description: '', participants });
    }
  });
}

/** The chats of which the account is a member; an announcement group is listed as its community. */
export function listChats(db: Connection, { accountId, workspaceId }: SandboxAccount): Promise<MessengerGroup[]> {
  const isListed = sql`c.workspace_id = ${workspaceId} and c.kind <> 'announcement' and ${accountId} <> all (c.removed_accounts)`;
  return selectChats(db, accountId, isListed);
}

export async function createGroupChat(
  db: Database,
  { accountId, workspaceId }: SandboxAccount,
  group: { name: string; participants: readonly string[]; ownNumber: string },
): Promise<MessengerGroup> {
  checkTexts(group.name, '');
  const participants = group.participants.filter((number) => !isSameNumber(number, group.ownNumber));
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
    const community = { name, description, participants };
    await insertChat(trx, workspaceId, { ...community, chatId, kind: 'community' });
    const announcement = { chatId: newChatId('g.us'), kind: 'announcement', parentId: chatId } as const;
    await insertChat(trx, workspaceId, { ...community, ...announcement });
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
  await execute(db)`
    insert into sandbox_chats (chat_id, workspace_id, kind, parent_id, name, description, invite_code, participants, picture)
    values (${chat.chatId}, ${workspaceId}, ${chat.kind}, ${chat.parentId ?? null}, ${chat.name}, ${chat.description},
            ${randomBytes(12).toString('base64url')}, ${chat.participants}, ${chat.picture ?? null})
    on conflict (chat_id) do nothing`;
}

export async function readChat(db: Connection, accountId: AccountId, chatId: string): Promise<MessengerGroup> {
  const [chat] = await selectChats(db, accountId, sql`c.chat_id = ${chatId}`);
  if (!chat) throw new AppError('group_not_found', 'The chat does not exist');
  return chat;
}

function selectChats(db: Connection, accountId: AccountId, where: RawBuilder<unknown>): Promise<MessengerGroup[]> {
  const isAdmin = sql`${accountId} <> all (c.demoted_accounts)`;
  return readRows<MessengerGroup>(db)`
    select c.chat_id as "chatId", coalesce(a.chat_id, c.chat_id) as "sendTo", c.kind, c.name, c.created_at as "createdAt",
           case c.kind when 'channel' then 'https://whatsapp.com/channel/' else 'https://chat.whatsapp.com/' end || c.invite_code as "inviteLink",
           cardinality(c.participants) + case c.kind when 'channel' then 0 else 1 end as participants,
           ${isAdmin} as "canSend", ${isAdmin} as "isAdmin"
    from sandbox_chats c left join sandbox_chats a on a.parent_id = c.chat_id
    where ${where}
    order by c.created_at, c.chat_id`;
}

function newChatId(server: 'g.us' | 'newsletter'): string {
  return `120363${randomInt(10 ** 12)
    .toString()
    .padStart(12, '0')}@${server}`;
}

function inventPeople(count: number, from: number): string[] {
  return Array.from(
    { length: count },
    (_, index) => `${FICTITIOUS}${String((from + index) % 10 ** 7).padStart(7, '0')}`,
  );
}
