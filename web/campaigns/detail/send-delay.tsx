import { Anchor } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { Analytics } from '../../api/operations.ts';
import { sendWindowQuery } from '../../api/queries.ts';
import { readWarmUp, type WarmUpToday } from '../../api/warm-up.ts';
import { count } from '../../format/numbers.ts';
import { exactTime } from '../../format/time.ts';
import { useZone } from '../../format/zone-context.tsx';
import { Callout } from '../../parts/callout.tsx';
import { t } from '../../i18n/translate.ts';

/** Says that posts wait because the number was just linked, or because it warms up; renders nothing otherwise. */
export function SendDelay({ campaign, totals }: Pick<Analytics, 'campaign' | 'totals'>) {
  const zone = useZone();
  const isWaiting = campaign.status === 'running' && totals.queued > 0;
  const { data: rests } = useQuery({ ...sendWindowQuery, enabled: isWaiting });
  if (!rests || !isWaiting) return null;
  if (rests.rest_reason === 'new_link' && rests.rests_until !== null)
    return <Delay>{t('rests.newLink', { time: exactTime(rests.rests_until, zone) })}</Delay>;
  const warmUp = readWarmUp(rests);
  return warmUp ? <WarmUpDelay {...warmUp} queued={totals.queued} /> : null;
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

function Delay({ children }: { children: ReactNode }) {
  return (
    <Callout role="status">
      {children}{' '}
      <Anchor component={Link} href="/account" size="sm" underline="always">
        {t('warmUp.see')}
      </Anchor>
    </Callout>
  );
}
