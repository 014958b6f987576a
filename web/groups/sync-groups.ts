import { call } from '../api/call.ts';
import type { Data, Group } from '../api/operations.ts';
import { fetchAllGroups } from '../api/queries.ts';

type Counts = Omit<Data<'venom/sync-groups'>, 'account_id'>;

/** The result of a sync: the service's counts, and the differences between the lists before and after. */
export interface SyncReport extends Counts {
  total: number;
  new: string[];
  gone: string[];
  renamed: Array<{ before: string; after: string }>;
  resized: Array<{ name: string; before: number; after: number }>;
}

/** Syncs the groups of these accounts with the messaging application; without any, those of the default account. Returns the differences. */
export async function syncGroups(accountIds: readonly number[]): Promise<SyncReport> {
  const everything = { kind: undefined, search: '' };
  const before = await fetchAllGroups(everything);
  const counts = { added: 0, updated: 0, removed: 0 };
  for (const accountId of accountIds.length > 0 ? accountIds : [undefined]) {
    const { added, updated, removed } = await call('venom/sync-groups', { account_id: accountId });
    counts.added += added;
    counts.updated += updated;
    counts.removed += removed;
  }
  return { ...counts, ...compare(before, await fetchAllGroups(everything)) };
}

function compare(before: readonly Group[], after: readonly Group[]): Omit<SyncReport, keyof Counts> {
  const known = new Map(before.map((group) => [group.group_metadata_id, group]));
  const still = new Set(after.map((group) => group.group_metadata_id));
  const pairs = after.flatMap((now) => {
    const past = known.get(now.group_metadata_id);
    return past ? [{ past, now }] : [];
  });
  return {
    total: after.length,
    new: after.filter((group) => !known.has(group.group_metadata_id)).map((group) => group.group_name),
    gone: before.filter((group) => !still.has(group.group_metadata_id)).map((group) => group.group_name),
    renamed: pairs
      .filter(({ past, now }) => past.group_name !== now.group_name)
      .map(({ past, now }) => ({ before: past.group_name, after: now.group_name })),
    resized: pairs
      .filter(({ past, now }) => past.participants !== now.participants)
      .map(({ past, now }) => ({ name: now.group_name, before: past.participants, after: now.participants })),
  };
}
