import { sql } from 'kysely';
import type { StoredChatList, StoredGroup } from '../accounts/commands.ts';
import type { Connection } from '../../platform/database/connect.ts';
import type { GroupKind } from '../../platform/database/schema.ts';

/** A group as its owner sees it. */
export interface Group {
  groupId: number;
  chatId: string;
  kind: GroupKind;
  name: string;
  /** With the account itself; of a channel its followers. */
  participants: number;
  inviteLink: string | null;
  canSend: boolean;
}

const columns = [
  'group_id as groupId',
  'chat_id as chatId',
  'kind',
  'name',
  'participants',
  'invite_link as inviteLink',
  'can_send as canSend',
] as const;

/** Writes what the messaging application says about one group; its id stays the same when it was known. */
export async function upsertGroup(db: Connection, accountId: number, group: StoredGroup): Promise<Group> {
  return db
    .insertInto('groups')
    .values({
      account_id: accountId,
      chat_id: group.chatId,
      send_to: group.sendTo,
      kind: group.kind,
      name: group.name,
      participants: group.participants,
      invite_link: group.inviteLink,
      can_send: group.canSend,
    })
    .onConflict((conflict) =>
      conflict.columns(['account_id', 'chat_id']).doUpdateSet((eb) => ({
        send_to: eb.ref('excluded.send_to'),
        name: eb.ref('excluded.name'),
        participants: eb.ref('excluded.participants'),
        invite_link: eb.ref('excluded.invite_link'),
        can_send: eb.ref('excluded.can_send'),
        removed_at: null,
      })),
    )
    .returning(columns)
    .executeTakeFirstOrThrow();
}

export interface SyncOutcome {
  added: number;
  updated: number;
  removed: number;
}

/**
 * Makes the stored groups those that were just read: one statement, however many there are. Says how many it changed. A link that
 * was known stays where none was read. Channels stay if they could not be read.
 */
export async function replaceGroups(
  db: Connection,
  accountId: number,
  { chats, areChannelsUnread }: StoredChatList,
): Promise<SyncOutcome> {
  const { rows } = await sql<SyncOutcome>`
    with fresh as materialized (
      select * from jsonb_to_recordset(${JSON.stringify(chats)}::jsonb)
        as g ("chatId" text, "sendTo" text, kind group_kind, name text, participants int, "inviteLink" text, "canSend" boolean)
    ), known as materialized (
      select group_id, chat_id from groups where account_id = ${accountId}
    ), added as (
      insert into groups (account_id, chat_id, send_to, kind, name, participants, invite_link, can_send)
      select ${accountId}::bigint, f."chatId", f."sendTo", f.kind, f.name, f.participants, f."inviteLink", f."canSend" from fresh f
      where f."chatId" not in (select chat_id from known)
      on conflict (account_id, chat_id) do nothing
      returning 1
    ), updated as (
      update groups g set send_to = f."sendTo", name = f.name, participants = f.participants,
                          invite_link = coalesce(f."inviteLink", g.invite_link),
                          can_send = f."canSend", removed_at = null
      from fresh f
      where g.account_id = ${accountId} and g.chat_id = f."chatId"
        and (g.send_to, g.name, g.participants, g.invite_link, g.can_send, g.removed_at)
            is distinct from (f."sendTo", f.name, f.participants, coalesce(f."inviteLink", g.invite_link), f."canSend", null)
      returning 1
    ), removed as (
      update groups g set removed_at = campanile_now(), can_send = false
      where g.account_id = ${accountId} and g.removed_at is null and g.chat_id not in (select "chatId" from fresh)
        and not (${areChannelsUnread}::boolean and g.kind = 'channel')
      returning 1
    ), noted as (
      update accounts set groups_synced_at = campanile_now(),
                          channels_unread_since = case when ${areChannelsUnread}::boolean
                                                       then coalesce(channels_unread_since, campanile_now()) end
      where account_id = ${accountId}
    )
    select (select count(*) from added)::int as added, (select count(*) from updated)::int as updated,
           (select count(*) from removed)::int as removed`.execute(db);
  return rows[0] ?? { added: 0, updated: 0, removed: 0 };
}

export interface GroupFilter {
  kind?: GroupKind | undefined;
  /** Part of the name, in any case. */
  search?: string | undefined;
  /** Only groups of this saved list. */
  groupListId?: number | undefined;
  minParticipants?: number | undefined;
  maxParticipants?: number | undefined;
}

/** In order of their ids: `limit` at most, or all, after the one with the id `after`. */
export async function selectGroups(
  db: Connection,
  accountId: number,
  { limit, after = 0, ...filter }: GroupFilter & { limit?: number | undefined; after?: number },
): Promise<Group[]> {
  const query = filterGroups(db, accountId, filter).select(columns).where('group_id', '>', after).orderBy('group_id');
  return (limit === undefined ? query : query.limit(limit)).execute();
}

/** Returns how many groups there are, and the sum of their participants. */
export async function sumGroups(
  db: Connection,
  accountId: number,
  filter: GroupFilter,
): Promise<{ groups: number; participants: number }> {
  return filterGroups(db, accountId, filter)
    .select(sql<number>`count(*)`.as('groups'))
    .select(sql<number>`coalesce(sum(participants), 0)::float8`.as('participants'))
    .executeTakeFirstOrThrow();
}

/** The query for the account's groups that match a filter. */
export function filterGroups(db: Connection, accountId: number, filter: GroupFilter) {
  let query = db.selectFrom('groups').where('account_id', '=', accountId).where('removed_at', 'is', null);
  if (filter.groupListId !== undefined)
    query = query.where(
      sql<boolean>`group_id = any(array(
        select unnest(group_ids) from group_lists where group_list_id = ${filter.groupListId} and account_id = ${accountId}))`,
    );
  // As bigints: any whole number may be asked for.
  const { minParticipants: min, maxParticipants: max } = filter;
  if (min !== undefined) query = query.where(sql<boolean>`participants >= ${min}::bigint`);
  if (max !== undefined) query = query.where(sql<boolean>`participants <= ${max}::bigint`);
  if (filter.kind) query = query.where('kind', '=', filter.kind);
  if (filter.search) query = query.where(sql<boolean>`position(lower(${filter.search}) in lower(name)) > 0`);
  return query;
}

/** The account's own among these ids. */
export async function selectOwnGroupIds(
  db: Connection,
  accountId: number,
  groupIds: readonly number[],
): Promise<Set<number>> {
  const { rows } = await sql<{ group_id: number }>`
    select g.group_id from unnest(${groupIds}::bigint[]) i (group_id)
    join groups g on g.group_id = i.group_id and g.account_id = ${accountId}`.execute(db);
  return new Set(rows.map((row) => row.group_id));
}

/** The chat ids of the account's channels that are there, as far as is known. */
export async function selectChannelIds(db: Connection, accountId: number): Promise<string[]> {
  const rows = await db
    .selectFrom('groups')
    .select('chat_id')
    .where('account_id', '=', accountId)
    .where('kind', '=', 'channel')
    .where('removed_at', 'is', null)
    .execute();
  return rows.map((row) => row.chat_id);
}

/** Where posts to one of the account's groups go; undefined when it is not the account's. */
export async function findSendTo(db: Connection, accountId: number, groupId: number): Promise<string | undefined> {
  const row = await db
    .selectFrom('groups')
    .select('send_to')
    .where('account_id', '=', accountId)
    .where('group_id', '=', groupId)
    .executeTakeFirst();
  return row?.send_to;
}

/** One of the account's groups that is still there; undefined if there is none. */
export async function findGroup(db: Connection, accountId: number, groupId: number): Promise<Group | undefined> {
  return db
    .selectFrom('groups')
    .select(columns)
    .where('account_id', '=', accountId)
    .where('group_id', '=', groupId)
    .where('removed_at', 'is', null)
    .executeTakeFirst();
}

export async function writeInviteLink(
  db: Connection,
  accountId: number,
  { groupId, inviteLink }: { groupId: number; inviteLink: string },
): Promise<void> {
  await db
    .updateTable('groups')
    .set({ invite_link: inviteLink })
    .where('account_id', '=', accountId)
    .where('group_id', '=', groupId)
    .execute();
}
