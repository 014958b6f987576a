import { Badge, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { Analytics } from '../../api/operations.ts';
import { accountsQuery } from '../../api/queries.ts';
import { accountNames } from '../../format/account-name.ts';
import { count } from '../../format/numbers.ts';
import { shortTime, timeOrDay, zoneName } from '../../format/time.ts';
import { useZone } from '../../format/zone-context.tsx';
import boxClasses from '../../parts/box.module.css';
import { Callout } from '../../parts/callout.tsx';
import { RelativeTime, useNow } from '../../parts/relative-time.tsx';
import { Status, Waiting } from '../../parts/status.tsx';
import textClasses from '../../parts/text.module.css';
import { t } from '../../i18n/translate.ts';
import classes from './campaign-header.module.css';
import { DeliveryFunnel } from './delivery-funnel.tsx';
import { GroupSquares } from './group-squares.tsx';
import { SendDelay, useWait } from './send-delay.tsx';

/** The state and progress of the campaign. */
export function CampaignHeader({ analytics, rule }: { analytics: Analytics; rule: ReactNode }) {
  const { campaign, totals, runs, groups } = analytics;
  const { skipped = 0 } = totals;
  const zone = useZone();
  // A paused campaign goes nowhere until it is resumed.
  const next = campaign.status === 'paused' ? undefined : runs.find((run) => run.status === 'planned');
  const told = useWait(campaign);
  // During a warm-up, posts leave slowly.
  const wait = told?.reason === 'warm_up' && told.until === null ? undefined : told;
  const isRecalled = totals.sent > 0 && (totals.recalled ?? 0) >= totals.sent;
  // Of posts that have all been sent, the first figure says enough.
  const deliveries = totals.deliveries - skipped;
  const isUnfinished = totals.sent < deliveries;
  return (
    <section className={`${boxClasses.surface} ${classes.head}`} aria-label={t('campaign.progress')}>
      <div className={classes.line}>
        <span aria-live="polite">
          {wait && campaign.status === 'running' ? (
            <Waiting until={wait.until} large />
          ) : (
            <Status of={isRecalled ? 'recalled' : campaign.status} large />
          )}
        </span>
        <Text size="sm" c="dimmed">
          {t('campaign.created')} <RelativeTime at={campaign.created_at} />
          {campaign.finished_at !== null && (
            <>
              {' · '}
              {t('campaign.finished')} <RelativeTime at={campaign.finished_at} />
            </>
          )}
          {next &&
            ` · ${t('campaigns.nextRun', { when: shortTime(next.due_at, zone), zone: zoneName(zone, new Date(next.due_at)) })}`}
        </Text>
      </div>
      {campaign.pause_reason !== undefined && <Callout role="status">{t('campaign.refusedInARow')}</Callout>}
      {rule}
      {totals.deliveries > 0 && <DeliveryFunnel totals={totals} groups={groups} />}
      {isUnfinished && (
        <>
          <GroupSquares groups={groups} />
          <Text size="sm">
            {t('campaign.soFar', {
              sent: count(totals.sent),
              failed: count(totals.failed),
              waiting: count(totals.queued),
              cancelled: totals.cancelled - skipped,
            })}
            {skipped > 0 && ` · ${t('followUp.leftOut', { groups: skipped })}`}
            <ExpectedFinish at={wait?.until === null ? null : (totals.expected_finish_at ?? null)} />
          </Text>
        </>
      )}
      <AccountShares shares={analytics.accounts ?? []} />
      <SendDelay campaign={campaign} totals={totals} />
      {campaign.folded_at !== undefined && (
        <Text size="sm" c="dimmed">
          {t('campaign.folded')}
        </Text>
      )}
      <Tags tags={campaign.tags ?? []} />
      {campaign.desc !== '' && (
        <Text size="sm" c="dimmed">
          {campaign.desc}
        </Text>
      )}
    </section>
  );
}

/** Each leads to the campaigns that carry it. */
function Tags({ tags }: { tags: readonly string[] }) {
  if (tags.length === 0) return null;
  return (
    <Group gap={6}>
      {tags.map((tag) => (
        <Badge
          key={tag}
          component={Link}
          href={`/?tag=${encodeURIComponent(tag)}`}
          variant="default"
          size="lg"
          tt="none"
          dir="auto"
        >
          {tag}
        </Badge>
      ))}
    </Group>
  );
}

/** What each account sends, where several do. */
function AccountShares({ shares }: { shares: NonNullable<Analytics['accounts']> }) {
  const { data: accounts = [] } = useQuery(accountsQuery);
  if (shares.length < 2) return null;
  const names = accountNames(accounts);
  return (
    <ul className={classes.shares} aria-label={t('accounts.title')}>
      {shares.map(({ account_id: id, ...share }) => (
        <li key={id}>
          <strong dir="auto">{names.get(id) ?? share.name ?? t('senders.removedAccount')}</strong>
          <span>
            {t('campaign.soFar', {
              sent: count(share.sent),
              failed: count(share.failed),
              waiting: count(share.queued),
              cancelled: share.cancelled,
            })}
            <ExpectedFinish at={share.expected_finish_at ?? null} />
          </span>
        </li>
      ))}
    </ul>
  );
}

/** The expected finish of a running campaign, or of an account's share. */
function ExpectedFinish({ at }: { at: string | null }) {
  const zone = useZone();
  const nowMs = useNow();
  if (at === null) return null;
  const time = timeOrDay(at, zone, nowMs);
  return (
    <span className={textClasses.dim}>
      {' '}
      · {t('campaign.expectedFinish', { time, zone: zoneName(zone, new Date(at)) })}
    </span>
  );
}
