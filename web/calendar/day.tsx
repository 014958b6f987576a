import { UnstyledButton, VisuallyHidden } from '@mantine/core';
import type { CSSProperties, ReactNode } from 'react';
import { Link, useLocation } from 'wouter';
import type { PlannedRun } from '../api/operations.ts';
import { PlannedRunMenu } from '../campaigns/planned-run-menu.tsx';
import { newCampaignPath } from '../compose/create-draft.ts';
import { count } from '../format/numbers.ts';
import { clockTime } from '../format/time.ts';
import { localisedText } from '../format/warning-text.ts';
import { useZone } from '../format/zone-context.tsx';
import { Icon } from '../parts/icons.tsx';
import { Dot } from '../parts/status.tsx';
import { statusOfRun, toneOfStatus } from '../parts/status-tone.ts';
import { locale, t } from '../i18n/translate.ts';
import classes from './calendar.module.css';

/** One day with its runs; clicking an empty day that is not over starts a campaign there. */
export function Day({
  day,
  today,
  isOutside,
  isEmpty,
  style,
  children,
}: {
  day: string;
  today: string;
  isOutside: boolean;
  isEmpty: boolean;
  style?: CSSProperties;
  children: ReactNode;
}) {
  return (
    <div
      role="listitem"
      className={classes.day}
      style={style}
      data-outside={isOutside || undefined}
      data-empty={isEmpty || undefined}
      aria-label={longDay(day)}
      aria-current={day === today ? 'date' : undefined}
    >
      <span className={classes.date}>
        {Number(day.slice(8))}
        <span className={classes.long}>{longDay(day)}</span>
      </span>
      {children}
      {day >= today && <NewCampaignOnDay day={day} />}
    </div>
  );
}

/** Covers the day except for its runs. */
function NewCampaignOnDay({ day }: { day: string }) {
  const [, go] = useLocation();
  return (
    <UnstyledButton
      className={classes.newCampaign}
      aria-label={t('calendar.beginOn', { day: longDay(day) })}
      onClick={() => go(newCampaignPath(day))}
    >
      <Icon name="plus" size={14} />
    </UnstyledButton>
  );
}

export function MoreRuns({ runs, show }: { runs: readonly PlannedRun[]; show: () => void }) {
  return (
    <UnstyledButton className={classes.more} onClick={show}>
      {t('calendar.more', { many: count(runs.length) })}
      {runs.some((run) => run.warnings) && (
        <span className={classes.mark}>
          <Icon name="alert" size={13} />
          <VisuallyHidden>{t('calendar.tooMuch')}</VisuallyHidden>
        </span>
      )}
    </UnstyledButton>
  );
}

export function RunChip({ run }: { run: PlannedRun }) {
  const zone = useZone();
  const status = statusOfRun(run.status, run.campaign_status);
  const warning = run.warnings?.map(localisedText).join('\n');
  return (
    <span className={classes.chip}>
      <Link
        href={`/campaigns/${run.campaign_id}`}
        className={classes.run}
        data-status={status}
        data-tone={toneOfStatus(status)}
        title={[`${run.name}: ${t(`status.${status}`)}`, warning].filter(Boolean).join('\n')}
      >
        <span className={classes.label}>
          <span className={classes.time}>
            <Dot tone={toneOfStatus(status)} label={clockTime(run.due_at, zone)} />
          </span>{' '}
          <span className={classes.name} dir="auto">
            {run.name}
          </span>
          <VisuallyHidden>({t(`status.${status}`)})</VisuallyHidden>
          {run.is_follow_up && <span className={classes.followUp}>{t('followUp.name')}</span>}
          {warning !== undefined && (
            <span className={classes.mark}>
              <Icon name="alert" size={13} />
              <span className={classes.warning}>{warning}</span>
            </span>
          )}
        </span>
      </Link>
      {run.status === 'planned' && (
        <PlannedRunMenu run={run} zone={zone} isPaused={status === 'paused'} className={classes.runMenu} />
      )}
    </span>
  );
}

function longDay(day: string): string {
  return new Intl.DateTimeFormat(locale, {
    timeZone: 'UTC',
    weekday: 'long',
    day: 'numeric',
    month: 'long',
  }).format(new Date(`${day}T00:00:00Z`));
}
