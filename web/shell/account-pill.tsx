import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { Link } from 'wouter';
import { isNeverLinked, isUnused, isUp, useSeveralAccounts } from '../api/accounts.ts';
import { useDisconnectedSince } from '../api/connection.ts';
import { accountQuery } from '../api/queries.ts';
import type { AccountStatus, ListedAccount } from '../api/operations.ts';
import { count } from '../format/numbers.ts';
import { clockTime, timeOrDay } from '../format/time.ts';
import { isRest } from '../format/wait-text.ts';
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

/** How many of several accounts can send; undefined while all can that are in use. */
function describeSeveral(accounts: readonly ListedAccount[]): { label: string; tone: Tone } | undefined {
  const used = accounts.filter((account) => !isUnused(account));
  const up = used.filter(isUp).length;
  if (up === used.length) return undefined;
  const label = t('accounts.pill', { up: count(up), all: count(used.length) });
  return { label, tone: up === 0 ? 'bad' : 'paused' };
}

/** "Sandbox", "Connected", "Paused until 14:05: …" */
export function accountSummary(
  account: Pick<AccountStatus, 'messenger' | 'status' | 'waits_for'>,
  zone: string,
): string {
  const { messenger, status, waits_for: wait } = account;
  const until = wait?.until ?? null;
  if (until !== null) return t('account.pausedUntil', { time: timeOrDay(until, zone) });
  if (messenger === 'sandbox' && status === 'connected') return t('account.sandbox');
  return t(`account.status.${status}`);
}

export function accountTone({ status, waits_for: wait }: Pick<AccountStatus, 'status' | 'waits_for'>) {
  if (wait && (isRest(wait) || wait.until !== null)) return 'paused';
  switch (status) {
    case 'connected':
      return 'good';
    case 'linking':
    case 'reconnecting':
      return 'busy';
    case 'paused':
      return 'paused';
    case 'unlinked':
      return wait && isNeverLinked(wait) ? 'idle' : 'bad';
    case 'logged_out':
      return 'bad';
    default:
      return status satisfies never;
  }
}
