import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { Link } from 'wouter';
import { accountQuery } from '../api/queries.ts';
import type { AccountStatus } from '../api/operations.ts';
import { clockTime } from '../format/time.ts';
import { useZone } from '../format/zone.tsx';
import { Dot } from '../parts/status.tsx';
import { words } from '../words/words.ts';
import classes from './account-pill.module.css';

/** The state of the link to the messaging application, on every page. Leads to where it can be changed. */
export function AccountPill() {
  const { data } = useQuery(accountQuery);
  const zone = useZone();
  useGroupsOf(data);
  if (!data) return null;
  return (
    <Link href="/account" className={classes.pill} aria-label={words.account.pillLabel(accountSummary(data, zone))}>
      <Dot tone={toneOf(data)} label={accountSummary(data, zone)} />
    </Link>
  );
}

/** Has the groups asked for anew when the account is linked to something else, or linked again: then they are others. */
function useGroupsOf(account: AccountStatus | undefined): void {
  const client = useQueryClient();
  const link = account && `${account.messenger} ${account.status === 'connected'}`;
  const before = useRef(link);
  useEffect(() => {
    if (before.current !== undefined && before.current !== link)
      void client.invalidateQueries({ queryKey: ['groups'] });
    before.current = link;
  }, [client, link]);
}

/** "Sandbox", "Connected", "Paused until 14:05: …" */
export function accountSummary(account: AccountStatus, zone: string): string {
  const { messenger, status, paused_until: until } = account;
  if (messenger === 'sandbox' && status === 'connected') return words.account.sandbox;
  if (status === 'paused' && until !== undefined) return words.account.pausedUntil(clockTime(until, zone));
  return words.account.status[status];
}

export function toneOf({ status, messenger }: Pick<AccountStatus, 'status' | 'messenger'>) {
  switch (status) {
    case 'connected':
      return messenger === 'sandbox' ? 'idle' : 'good';
    case 'linking':
    case 'reconnecting':
      return 'busy';
    case 'paused':
    case 'unlinked':
    case 'logged_out':
      return 'bad';
    default:
      return status satisfies never;
  }
}
