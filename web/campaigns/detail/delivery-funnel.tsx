import type { ReactNode } from 'react';
import type { Analytics, GroupRow } from '../../api/operations.ts';
import { count, share } from '../../format/numbers.ts';
import { DeliveryTicks } from '../../parts/delivery-ticks.tsx';
import { t } from '../../i18n/translate.ts';
import classes from './delivery-funnel.module.css';

/** From the posts that were sent to the reactions of members, a step each. Channels have views instead of receipts. */
export function DeliveryFunnel({ totals, groups }: Pick<Analytics, 'totals' | 'groups'>) {
  const reached = groups.filter((group) => group.sent > 0).length;
  // A reminder leaves groups out: they are no part of what there is to send.
  const { skipped: leftOut = 0 } = totals;
  const all = totals.deliveries - leftOut;
  const members = countMembers(groups);
  const isOnePostEach = totals.deliveries <= totals.groups;
  const asks = [
    ...(totals.views !== null && groups.some((group) => group.kind === 'channel')
      ? [t('report.viewsOf', { views: totals.views })]
      : []),
    t('campaign.repliesOf', { replies: totals.replies ?? 0 }),
  ];
  return (
    <dl className={classes.funnel} aria-label={t('campaign.figures')}>
      <Step
        label={t('campaign.state.sent')}
        sign={<DeliveryTicks kind="sent" />}
        value={count(isOnePostEach ? reached : totals.sent)}
        part={all === 0 ? 0 : totals.sent / all}
        color="var(--mantine-color-bronze-6)"
      >
        {isOnePostEach
          ? t('campaign.ofGroups', { groups: totals.groups - leftOut })
          : t('campaign.ofPosts', { all: count(all), groups: totals.groups })}
      </Step>
      <Step
        label={t('campaign.delivered')}
        sign={<DeliveryTicks kind="delivered" />}
        value={share(totals.delivery_rate)}
        part={totals.delivery_rate ?? 0}
        color="var(--delivered)"
      >
        {t('campaign.people', { some: count(totals.delivered), all: count(members) })}
      </Step>
      <Step
        label={t('campaign.read')}
        sign={<DeliveryTicks kind="read" />}
        value={share(totals.read_rate)}
        part={totals.read_rate ?? 0}
        color="var(--read)"
      >
        {t('campaign.people', { some: count(totals.read), all: count(members) })}
      </Step>
      <Step
        label={t('campaign.reactions')}
        value={count(totals.reactions)}
        part={members === 0 ? 0 : Math.min(1, (totals.reactions ?? 0) / members)}
        color="var(--good)"
      >
        {asks.join(' · ')}
      </Step>
    </dl>
  );
}

/** `part`: how much of the step is filled, from 0 to 1. */
function Step({
  label,
  sign,
  value,
  part,
  color,
  children,
}: {
  label: string;
  sign?: ReactNode;
  value: string;
  part: number;
  color: string;
  children: ReactNode;
}) {
  return (
    <div className={classes.step}>
      <dt>
        {label} {sign}
      </dt>
      <dd>
        <span className={classes.value}>{value}</span>
        <span className={classes.bar} aria-hidden="true">
          <span style={{ width: `${part * 100}%`, background: color }} />
        </span>
        <span className={classes.below}>{children}</span>
      </dd>
    </div>
  );
}

/** Returns the denominator of the rates: each member once per post. Followers of channels send no receipts. */
export function countMembers(groups: readonly GroupRow[]): number {
  return groups.reduce((sum, { kind, recipients }) => (kind === 'channel' ? sum : sum + recipients), 0);
}
