import { Anchor } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import type { Analytics } from '../../api/operations.ts';
import { sendWindowQuery } from '../../api/queries.ts';
import { readWarmUp } from '../../api/warm-up.ts';
import { count } from '../../format/numbers.ts';
import { Callout } from '../../parts/callout.tsx';
import { words } from '../../words/words.ts';

/** Says that some posts wait for another day because of the warm-up; renders nothing otherwise. */
export function WarmUpDelay({ campaign, totals }: Pick<Analytics, 'campaign' | 'totals'>) {
  const { data: rests } = useQuery({
    ...sendWindowQuery,
    enabled: campaign.status === 'running' && totals.queued > 0,
  });
  const warmUp = rests && readWarmUp(rests);
  if (!warmUp || campaign.status !== 'running') return null;
  const { day, caps, cap, sent } = warmUp;
  if (totals.queued <= cap - sent) return null;
  return (
    <Callout role="status">
      {words.warmUp.waits(count(day), count(caps.length), count(cap), count(sent))}{' '}
      <Anchor component={Link} href="/account" size="sm" underline="always">
        {words.warmUp.see}
      </Anchor>
    </Callout>
  );
}
