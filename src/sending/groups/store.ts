import { execute, readColumn, readOne, readRow, readRows, readValue, sql } from '../../platform/database/statements.ts';
import type { StoredChatList, StoredGroup } from '../accounts/commands.ts';
import { lockGroupAccounts } from '../accounts/group-accounts.ts';
import { nextSyncAt } from '../accounts/plan-syncs.ts';
import { hasOwnData, type OwnData, type StoredOwnData } from '../accounts/own-data.ts';
import { accountNotFoundError } from '../accounts/store.ts';
import type { Connection, Database } from '../../platform/database/statements.ts';
import { AppError, fieldError } from '../../platform/errors/errors.ts';
import type { AccountId, GroupKind, WorkspaceId } from '../../platform/database/schema.ts';

export const groupColumns = sql`
  group_id as "groupId", chat_id as "chatId", kind, name, participants, invite_link as "inviteLink", can_send as "canSend",
  external_id as "externalId", metadata`;

/** A group as its owner sees it. */
export interface Group extends StoredOwnData {
  groupId: number;
  chatId: string;
  kind: GroupKind;
  name: string;
  /** With the account itself; of a channel its followers. */
  participants: number;
  inviteLink: string | null;
  canSend: boolean;
}

/** A group of a post that was not sent yet. */
export type NamedGroup = Pick<Group, 'groupId' | 'name' | 'kind' | 'participants'>;

/** Those of these that are the workspace's, in the order given. Only `withGone` also those that are gone from the messaging application. */
export function selectNamedGroups(
  db: Connection,
  workspaceId: WorkspaceId,
  groupIds: readonly number[],
  { withGone }: { withGone: boolean },
): Promise<NamedGroup[]> {
  return readRows<NamedGroup>(db)`
    select g.group_id as "groupId", g.name, g.kind, g.participants
    from unnest(${groupIds}::bigint[]) with ordinality i (group_id, place)
    join groups g using (group_id)
    where g.workspace_id = ${workspaceId} and (${withGone} or g.removed_at is null)
    order by i.place`;
}

/** Who sees groups: the account that read them, and its workspace, whose they are. */
export interface GroupReader {
  workspaceId: WorkspaceId;
  accountId: AccountId;
}

/** Writes what the messaging application tells one account about one group; its id stays the same when it was known. */
export async function upsertGroup(db: Connection, { workspaceId, accountId }: GroupReader, group: StoredGroup) {
  return readOne<Group>(db)`
    with written as (
      insert into groups (workspace_id, chat_id, send_to, kind, name, participants, invite_link, can_send)
      values (${workspaceId}, ${group.chatId}, ${group.sendTo}, ${group.kind}, ${group.name}, ${group.participants},
              ${group.inviteLink}, ${group.canSend})
      on conflict (workspace_id, chat_id) do update
      set send_to = excluded.send_to, name = excluded.name, participants = excluded.participants,
          invite_link = excluded.invite_link, removed_at = null,
          can_send = excluded.can_send or exists (
            select from group_accounts m
            where m.group_id = groups.group_id and m.account_id <> ${accountId} and m.can_send and m.gone_at is null)
      returning *
    ), way as (
      insert into group_accounts (group_id, account_id, can_send, is_admin)
      select group_id, ${accountId}::bigint, ${group.canSend}::boolean, ${group.isAdmin ?? null}::boolean from written
      on conflict (account_id, group_id) do update
      set can_send = excluded.can_send, is_admin = excluded.is_admin, seen_at = excluded.seen_at, gone_at = null
    )
    select ${groupColumns} from written`;
}

/** Numbers of groups, as the account sees them. */
export interface SyncOutcome {
  added: number;
  updated: number;
  removed: number;
}

/** A way that stays as it is gets a new `seen_at` only after this time. */
const SEEN_AGAIN_MINUTES = 60;

/**
 * Makes the groups of an account those that were just read: one statement, however many there are. Says how many it changed. A link that
 * was known stays where none was read. Channels stay if they could not be read. A group ends when no account of the workspace is a member
 * any more, and can be posted to if any of them may. Throws 404 for an account that has been removed meanwhile.
 */
export function replaceGroups(db: Database, reader: GroupReader, list: StoredChatList): Promise<SyncOutcome> {
  const { workspaceId, accountId } = reader;
  return db.transaction().execute(async (trx) => {
    await lockGroupAccounts(trx, workspaceId);
    const affected = await execute(trx)`
      update accounts set groups_synced_at = campanile_now(), groups_sync_at = ${nextSyncAt},
                          channels_unread_since = case when ${list.areChannelsUnread}::boolean
                                                       then coalesce(channels_unread_since, campanile_now()) end
      where account_id = ${accountId} and removed_at is null`;
    if (affected === 0) throw accountNotFoundError('account_id');
    return writeList(trx, reader, list);
  });
}

/** The ways to the groups of the workspace must be locked. */
async function writeList(
  trx: Connection,
  { workspaceId, accountId }: GroupReader,
  { chats, areChannelsUnread }: StoredChatList,
): Promise<SyncOutcome> {
  return readOne<SyncOutcome>(trx)`
    with fresh as materialized (
      select distinct on ("chatId") * from jsonb_to_recordset(${JSON.stringify(chats)}::jsonb)
        as g ("chatId" text, "sendTo" text, kind group_kind, name text, participants int, "inviteLink" text, "canSend" boolean,
              "isAdmin" boolean)
    ), known as materialized (
      select group_id, chat_id, kind from groups where workspace_id = ${workspaceId}
    ), way as materialized (
      select group_id, can_send, is_admin, seen_at, gone_at is null as is_there from group_accounts where account_id = ${accountId}
    ), other as materialized (
      select m.group_id, bool_or(m.can_send) as can_send
      from accounts a join group_accounts m on m.account_id = a.account_id
      where a.workspace_id = ${workspaceId} and a.account_id <> ${accountId} and m.gone_at is null
      group by m.group_id
    ), added as (
      insert into groups (workspace_id, chat_id, send_to, kind, name, participants, invite_link, can_send)
      select ${workspaceId}::bigint, f."chatId", f."sendTo", f.kind, f.name, f.participants, f."inviteLink", f."canSend" from fresh f
      where f."chatId" not in (select chat_id from known)
      on conflict (workspace_id, chat_id) do nothing
      returning group_id, chat_id
    ), present as materialized (
      select i.group_id, f.*, f."canSend" or coalesce(o.can_send, false) as any_can_send,
             w.group_id is null as is_new, (w.can_send, w.is_there) is distinct from (f."canSend", true) as is_changed,
             w.is_admin is distinct from f."isAdmin" or w.seen_at < campanile_now() - ${SEEN_AGAIN_MINUTES} * interval '1 minute' as is_due
      from (select group_id, chat_id from known union all select * from added) i
      join fresh f on f."chatId" = i.chat_id
      left join way w on w.group_id = i.group_id left join other o on o.group_id = i.group_id
    ), updated as (
      update groups g set send_to = p."sendTo", name = p.name, participants = p.participants,
                          invite_link = coalesce(p."inviteLink", g.invite_link),
                          can_send = p.any_can_send, removed_at = null
      from present p
      where g.group_id = p.group_id
        and (g.send_to, g.name, g.participants, g.invite_link, g.can_send, g.removed_at)
            is distinct from (p."sendTo", p.name, p.participants, coalesce(p."inviteLink", g.invite_link), p.any_can_send, null)
      returning g.group_id
    ), seen as (
      insert into group_accounts (group_id, account_id, can_send, is_admin)
      select group_id, ${accountId}::bigint, "canSend", "isAdmin" from present where is_changed or is_due
      on conflict (account_id, group_id) do update
      set can_send = excluded.can_send, is_admin = excluded.is_admin, seen_at = excluded.seen_at, gone_at = null
    ), absent as materialized (
      select k.group_id, o.group_id is not null as is_there, coalesce(o.can_send, false) as can_send
      from known k left join way w on w.group_id = k.group_id left join other o on o.group_id = k.group_id
      where k.chat_id not in (select "chatId" from fresh) and not (${areChannelsUnread}::boolean and k.kind = 'channel')
        and w.is_there
    ), ended as (
      update group_accounts m set gone_at = campanile_now(), can_send = false
      from absent a where m.account_id = ${accountId} and m.group_id = a.group_id and m.gone_at is null
      returning m.group_id
    ), removed as (
      update groups g set can_send = a.can_send, removed_at = case when not a.is_there then coalesce(g.removed_at, campanile_now()) end
      from absent a
      where g.group_id = a.group_id and (g.can_send, g.removed_at is null) is distinct from (a.can_send, a.is_there)
      returning g.group_id, a.is_there
    )
    select (select count(*) from present where is_new)::int as added,
           (select count(*) from present p
            where not p.is_new and (p.is_changed or p.group_id in (select group_id from updated)))::int as updated,
           (select count(*) from (select group_id from ended union select group_id from removed where not is_there) r)::int as removed`;
}

export interface GroupFilter extends OwnData {
  kind?: GroupKind | undefined;
  /** Words of its name, or the whole id of its chat. */
  search?: string | undefined;
  /** Only groups of this saved list. */
  groupListId?: number | undefined;
  minParticipants?: number | undefined;
  maxParticipants?: number | undefined;
  /** Only these. */
  groupIds?: readonly number[] | undefined;
}

/** Returns how many groups there are, and the sum of their participants. */
export async function sumGroups(db: Connection, workspaceId: WorkspaceId, filter: GroupFilter) {
  return filterGroups(db, workspaceId, filter)
    .select(sql<number>`count(*)`.as('groups'))
    .select(sql<number>`coalesce(sum(participants), 0)::float8`.as('participants'))
    .executeTakeFirstOrThrow();
}

/** The query for the workspace's groups that match a filter. */
export function filterGroups(db: Connection, workspaceId: WorkspaceId, filter: GroupFilter) {
  let query = db
    .selectFrom('groups')
    .where('workspace_id', '=', workspaceId)
    .where('removed_at', 'is', null)
    .where(hasOwnData(filter));
  if (filter.groupIds) query = query.where(sql<boolean>`group_id = any(${[...filter.groupIds]}::bigint[])`);
  if (filter.groupListId !== undefined)
    query = query.where(
      sql<boolean>`group_id = any(array(
        select unnest(group_ids) from group_lists where group_list_id = ${filter.groupListId} and workspace_id = ${workspaceId}))`,
    );
  // As bigints: any whole number may be asked for.
  const { minParticipants: min, maxParticipants: max } = filter;
  if (min !== undefined) query = query.where(sql<boolean>`participants >= ${min}::bigint`);
  if (max !== undefined) query = query.where(sql<boolean>`participants <= ${max}::bigint`);
  if (filter.kind) query = query.where('kind', '=', filter.kind);
  if (filter.search)
    query = query.where(sql<boolean>`(has_words(plain_text(name), ${filter.search}) or chat_id = ${filter.search})`);
  return query;
}

/** The workspace's own among these ids. */
export async function selectOwnGroupIds(db: Connection, workspaceId: WorkspaceId, groupIds: readonly number[]) {
  const own = await readColumn<number>(db)`
    select g.group_id from unnest(${groupIds}::bigint[]) i (group_id)
    join groups g on g.group_id = i.group_id and g.workspace_id = ${workspaceId}`;
  return new Set(own);
}

/** The chat ids of the account's channels that are there, as far as is known. */
export async function selectChannelIds(db: Connection, { workspaceId, accountId }: GroupReader): Promise<string[]> {
  return readColumn<string>(db)`
    select g.chat_id from groups g join group_accounts m on m.group_id = g.group_id and m.account_id = ${accountId}
    where g.workspace_id = ${workspaceId} and g.kind = 'channel' and g.removed_at is null and m.gone_at is null`;
}

/** Where posts to one of the workspace's groups go. Throws `group_not_found` when it is not the workspace's. */
export async function requireSendTo(db: Connection, workspaceId: WorkspaceId, groupId: number): Promise<string> {
  const sendTo = await readValue<string>(db)`
    select send_to from groups where workspace_id = ${workspaceId} and group_id = ${groupId}`;
  if (sendTo === undefined) throw noSuchGroup();
  return sendTo;
}

export function noSuchGroup(): AppError {
  return new AppError('group_not_found', 'You have no group with this id', {
    details: [fieldError('group_metadata_id', 'unknown_id', { of: 'groups' })],
  });
}

/** One of the workspace's groups. `removedAt` is set if it is no longer at the messaging application. Throws `group_not_found`. */
export async function readGroupHead(db: Connection, workspaceId: WorkspaceId, groupId: number) {
  const row = await readRow<Group & { removedAt: Date | null }>(db)`
    select ${groupColumns}, removed_at as "removedAt" from groups where group_id = ${groupId} and workspace_id = ${workspaceId}`;
  if (!row) throw noSuchGroup();
  return row;
}

export async function writeInviteLink(
  db: Connection,
  workspaceId: WorkspaceId,
  { groupId, inviteLink }: { groupId: number; inviteLink: string },
): Promise<void> {
  await execute(db)`
    update groups set invite_link = ${inviteLink} where workspace_id = ${workspaceId} and group_id = ${groupId}`;
}
