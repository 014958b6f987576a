import { Anchor } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { Analytics } from '../../api/operations.ts';
import { accountsQuery, campaignQuery, sendWindowQueryOf } from '../../api/queries.ts';
import { readWarmUp, type WarmUpToday } from '../../api/warm-up.ts';
import { count } from '../../format/numbers.ts';
import { accountNames } from '../../format/account-name.ts';
import { waitText } from '../../format/wait-text.ts';
import { useZone } from '../../format/zone-context.tsx';
import { Callout } from '../../parts/callout.tsx';
import { t } from '../../i18n/translate.ts';

/** Says why posts of the campaign that are due do not leave, and until when; renders nothing while they leave. */
export function SendDelay({ campaign, totals }: Pick<Analytics, 'campaign' | 'totals'>) {
  const zone = useZone();
  const wait = useWait(campaign);
  const isWarmingUp = wait?.reason === 'warm_up';
  const { data: rests } = useQuery({ ...sendWindowQueryOf(wait?.account_id), enabled: isWarmingUp });
  const { data: accounts = [] } = useQuery(accountsQuery);
  if (!wait) return null;
  const warmUp = isWarmingUp && rests ? readWarmUp(rests) : undefined;
  if (isWarmingUp) return warmUp ? <WarmUpDelay {...warmUp} queued={totals.queued} /> : null;
  const name = accounts.length > 1 ? accountNames(accounts).get(wait.account_id) : undefined;
  return (
    <Delay see={t('pages.account')}>
      {name !== undefined && <strong dir="auto">{name}: </strong>}
      {waitText(wait, zone)}
    </Delay>
  );
}

/** What posts of a campaign that are due wait for; undefined while they leave. */
export function useWait({ campaign_id: id, status }: Pick<Analytics['campaign'], 'campaign_id' | 'status'>) {
  const isOpen = status === 'running' || status === 'scheduled';
  const { data } = useQuery({ ...campaignQuery(id), enabled: isOpen });
  return isOpen ? data?.waits_for : undefined;
}

function WarmUpDelay({ day, caps, cap, sent, gap, queued }: WarmUpToday & { queued: number }) {
  if (queued > cap - sent)
    return (
      <Delay>
        {t('warmUp.waits', { day: count(day), days: count(caps.length), cap: count(cap), sent: count(sent) })}
      </Delay>
    );
  if (queued < 2 || gap.max === 0) return null;
  return <Delay>{t('warmUp.slow', { min: count(gap.min), max: count(gap.max) })}</Delay>;
}

function Delay({ children, see = t('warmUp.see') }: { children: ReactNode; see?: string }) {
  return (
    <Callout role="status">
      {children}{' '}
      <Anchor component={Link} href="/account" size="sm" underline="always">
        {see}
      </Anchor>
    </Callout>
  );
}
