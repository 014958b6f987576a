import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { Link } from 'wouter';
import { isUp, useSeveralAccounts } from '../api/accounts.ts';
import { useDisconnectedSince } from '../api/connection.ts';
import { accountQuery } from '../api/queries.ts';
import type { AccountStatus, ListedAccount } from '../api/operations.ts';
import { count } from '../format/numbers.ts';
import { clockTime } from '../format/time.ts';
import { useZone } from '../format/zone-context.tsx';
import { Dot } from '../parts/status.tsx';
import type { Tone } from '../parts/status-tone.ts';
import { t } from '../i18n/translate.ts';
import classes from './account-pill.module.css';

/** The state of the link to the messaging application, on every page; leads to the account page. */
export function AccountPill() {
  const { data, isError, dataUpdatedAt } = useQuery(accountQuery);
  const accounts = useSeveralAccounts();
  const zone = useZone();
  const lostSince = useDisconnectedSince();
  useRefetchGroupsOnLink(data);
  if (!data) return null;
  // Without a connection it shows the last known state.
  const asOf = lostSince ?? (isError ? dataUpdatedAt : undefined);
  const several = accounts && describeSeveral(accounts);
  const state = several?.label ?? accountSummary(data, zone);
  const tone = several?.tone ?? accountTone(data);
  const said = asOf === undefined ? state : t('connection.outOfDate', { state, time: clockTime(new Date(asOf), zone) });
  return (
    <Link href="/account" className={classes.pill} aria-label={t('account.pillLabel', { summary: said })}>
      <Dot tone={asOf === undefined ? tone : 'idle'} label={said} />
    </Link>
  );
}

/** Refetches the groups when another account is linked, or the same again. */
function useRefetchGroupsOnLink(account: AccountStatus | undefined): void {
  const client = useQueryClient();
  const link = account && `${account.messenger} ${account.status === 'connected'}`;
  const before = useRef(link);
  useEffect(() => {
    if (before.current !== undefined && before.current !== link)
      void client.invalidateQueries({ queryKey: ['groups'] });
    before.current = link;
  }, [client, link]);
}

/** How many of several accounts can send; undefined while all can. */
function describeSeveral(accounts: readonly ListedAccount[]): { label: string; tone: Tone } | undefined {
  const up = accounts.filter(isUp).length;
  if (up === accounts.length) return undefined;
  const label = t('accounts.pill', { up: count(up), all: count(accounts.length) });
  return { label, tone: up === 0 ? 'bad' : 'paused' };
}

/** "Sandbox", "Connected", "Paused until 14:05: …" */
export function accountSummary(account: AccountStatus, zone: string): string {
  const { messenger, status, paused_until: until } = account;
  if (messenger === 'sandbox' && status === 'connected') return t('account.sandbox');
  if (status === 'paused' && until !== undefined) return t('account.pausedUntil', { time: clockTime(until, zone) });
  return t(`account.status.${status}`);
}

export function accountTone({ status }: Pick<AccountStatus, 'status'>) {
  switch (status) {
    case 'connected':
      return 'good';
    case 'linking':
    case 'reconnecting':
      return 'busy';
    case 'paused':
      return 'paused';
    case 'unlinked':
    case 'logged_out':
      return 'bad';
    default:
      return status satisfies never;
  }
}
