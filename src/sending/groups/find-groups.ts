import { foldFieldName } from '../../content/text/fold-name.ts';
import { readRows, type Connection } from '../../platform/database/statements.ts';
import type { WorkspaceId } from '../../platform/database/schema.ts';
import { indexByName } from './index-by-name.ts';
import type { Group } from './store.ts';

export type FoundGroup = Pick<Group, 'groupId' | 'chatId' | 'name' | 'kind' | 'participants' | 'canSend'>;

/** The groups that a text may mean: one, none, or several of which nobody knows which. */
export type FindGroups = (text: string) => readonly FoundGroup[];

const EMOJI = /[\p{Extended_Pictographic}\p{Emoji_Modifier}\p{Regional_Indicator}\u20e3]/gu;

/**
 * Returns a function that finds the workspace's groups by a name, an id or an id of the messaging application, as a sheet has them. A name
 * counts as it is written, else folded, else folded without emoji: the first of these that any group has. With `onlyIds` a number is an id,
 * whatever other groups are called.
 */
export async function prepareFindGroups(
  db: Connection,
  workspaceId: WorkspaceId,
  { onlyIds = false } = {},
): Promise<FindGroups> {
  const groups = await readRows<FoundGroup>(db)`
    select group_id as "groupId", chat_id as "chatId", name, kind, participants, can_send as "canSend" from groups
    where workspace_id = ${workspaceId} and removed_at is null order by group_id`;
  const byId = Map.groupBy(groups, ({ groupId }) => String(groupId));
  const byChatId = Map.groupBy(groups, ({ chatId }) => chatId);
  const findNamed = indexByName(groups, [foldWithoutEmoji]);
  return (text) => {
    const key = text.trim();
    if (key === '') return [];
    if (onlyIds) return byId.get(key) ?? [];
    // A name may be a number, too.
    return [...new Set([...(byId.get(key) ?? []), ...(byChatId.get(key) ?? []), ...findNamed(key)])];
  };
}

function foldWithoutEmoji(name: string): string {
  const plain = foldFieldName(name.replaceAll(EMOJI, ' '));
  return plain === '' ? foldFieldName(name) : plain;
}

export interface NamesFound {
  found: Array<{ text: string; group: FoundGroup }>;
  unknown: string[];
  /** With the first groups that have the name, and how many there are. */
  ambiguous: Array<{ text: string; groups: readonly FoundGroup[]; count: number }>;
}

/** Of those that a name may mean. */
export const GROUPS_LISTED = 10;

/** Finds groups by a column of names (contract §4, find-groups). Each text counts once; empty ones do not. */
export async function findGroups(
  { db }: { db: Connection },
  { workspaceId }: { workspaceId: WorkspaceId },
  texts: readonly string[],
): Promise<NamesFound> {
  const find = await prepareFindGroups(db, workspaceId);
  const result: NamesFound = { found: [], unknown: [], ambiguous: [] };
  const distinct = new Set(texts.map((text) => text.trim()).filter((text) => text !== ''));
  for (const text of distinct) {
    const [group, ...others] = find(text);
    if (!group) result.unknown.push(text);
    else if (others.length === 0) result.found.push({ text, group });
    else {
      const groups = [group, ...others].slice(0, GROUPS_LISTED);
      result.ambiguous.push({ text, groups, count: others.length + 1 });
    }
  }
  return result;
}
