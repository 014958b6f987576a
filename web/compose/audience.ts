import { useQuery } from '@tanstack/react-query';
import { useIsSandbox } from '../api/accounts.ts';
import { t } from '../i18n/translate.ts';
import { groupListsQuery } from '../api/queries.ts';
import { listNames } from '../format/list-names.ts';
import type { Draft, PickedGroup } from './draft.ts';

export function membersOf(groups: readonly PickedGroup[]): number {
  return groups.reduce((sum, group) => sum + group.participants, 0);
}

/** How many groups and members the draft reaches, in words. */
export function sumOf({ groups }: { groups: readonly PickedGroup[] }): string {
  return t('compose.sum', { groups: groups.length, members: membersOf(groups) });
}

/** Says to which saved lists the draft goes; undefined: to none. */
export function useListsText({ groupListIds }: Pick<Draft, 'groupListIds'>): string | undefined {
  const { data } = useQuery({ ...groupListsQuery, enabled: groupListIds.length > 0 });
  if (groupListIds.length === 0 || !data) return undefined;
  const lists = data.group_lists.filter((list) => groupListIds.includes(list.group_list_id)).map(({ name }) => name);
  return t('compose.toLists', { lists: listNames(lists, lists.length) });
}

/** The same as figures, for a receipt. */
export function useAudienceFigures(groups: readonly PickedGroup[]): string[] {
  const isSandbox = useIsSandbox();
  const members = membersOf(groups);
  return [
    t('campaigns.groups', { groups: groups.length }),
    isSandbox ? t('compose.simulated.members', { members }) : t('compose.summary.members', { members }),
  ];
}
