import { useIsSandbox } from '../api/accounts.ts';
import { t } from '../i18n/translate.ts';
import type { PickedGroup } from './draft.ts';

export function membersOf(groups: readonly PickedGroup[]): number {
  return groups.reduce((sum, group) => sum + group.participants, 0);
}

/** How many groups and members the draft reaches, in words. */
export function sumOf({ groups }: { groups: readonly PickedGroup[] }): string {
  return t('compose.sum', { groups: groups.length, members: membersOf(groups) });
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
