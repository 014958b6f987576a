import { useQuery } from '@tanstack/react-query';
import { useSeveralAccounts } from '../api/accounts.ts';
import type { Group } from '../api/operations.ts';
import { accountNames } from '../format/account-name.ts';
import { t } from '../i18n/translate.ts';
import { senderOfGroupsQuery } from './sender-queries.ts';

/** Returns how many of these groups each account posts to, in words; undefined with one account, and while that is unknown. */
export function useSendersLine(groups: ReadonlyArray<Pick<Group, 'group_metadata_id'>>): string | undefined {
  const accounts = useSeveralAccounts();
  const { data: senderOf } = useQuery({ ...senderOfGroupsQuery, enabled: accounts !== undefined });
  if (!accounts || !senderOf) return undefined;
  const counts = new Map<number, number>();
  for (const { group_metadata_id: id } of groups) {
    const sender = senderOf.get(id);
    if (sender !== undefined) counts.set(sender, (counts.get(sender) ?? 0) + 1);
  }
  if (counts.size === 0) return undefined;
  const names = accountNames(accounts);
  return [...counts]
    .toSorted(([, one], [, other]) => other - one)
    .map(([id, count]) => t('senders.share', { groups: count, name: names.get(id) ?? t('senders.removedAccount') }))
    .join(', ');
}
