import { UnstyledButton, VisuallyHidden } from '@mantine/core';
import { useState, type CSSProperties, type DragEvent, type ReactNode } from 'react';
import { Link, useLocation } from 'wouter';
import type { PlannedRun } from '../api/operations.ts';
import { useMay } from '../api/workspace.ts';
import { PlannedRunMenu } from '../campaigns/planned-run-menu.tsx';
import { describePost, PostMarks } from '../campaigns/post-marks.tsx';
import { newCampaignPath } from '../compose/create-draft.ts';
import { count } from '../format/numbers.ts';
import { clockTime } from '../format/time.ts';
import { localisedText } from '../format/warning-text.ts';
import { useZone } from '../format/zone-context.tsx';
import { Icon } from '../parts/icons.tsx';
import { Dot } from '../parts/status.tsx';
import { statusOfRun, toneOfStatus } from '../parts/status-tone.ts';
import textClasses from '../parts/text.module.css';
import { locale, t } from '../i18n/translate.ts';
import classes from './calendar.module.css';
import { ListMark, type MarkedList } from './list-mark.tsx';

/** The type of what is dragged: the id of a planned run. */
const DRAGGED_RUN = 'application/x-campanile-run';

/** One day with its runs; clicking an empty day that is not over starts a campaign there. */
export function Day({
  day,
  today,
  isEmpty,
  drop,
  style,
  children,
}: {
  day: string;
  today: string;
  isEmpty: boolean;
  /** Called with the id of a run that is dropped on the day. */
  drop: (runId: number, day: string) => void;
  style?: CSSProperties;
  children: ReactNode;
}) {
  const [isOver, setOver] = useState(false);
  const isOpen = day >= today;
  return (
    // By keyboard, the menu of the run moves it.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions
    <div
      role="listitem"
      className={classes.day}
      data-over={isOver || undefined}
      onDragOver={(event) => {
        if (!isOpen || !event.dataTransfer.types.includes(DRAGGED_RUN)) return;
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        drop(Number(event.dataTransfer.getData(DRAGGED_RUN)), day);
      }}
      style={style}
      data-past={!isOpen || undefined}
      data-empty={isEmpty || undefined}
      aria-label={longDay(day)}
      aria-current={day === today ? 'date' : undefined}
    >
      <span className={classes.date}>
        {shortDay(day)}
        <span className={classes.long}>{longDay(day)}</span>
      </span>
      {children}
      {isOpen && <NewCampaignOnDay day={day} />}
    </div>
  );
}

/** Covers the day except for its runs. */
function NewCampaignOnDay({ day }: { day: string }) {
  const [, go] = useLocation();
  if (useMay('author') === false) return null;
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

/** One line; dragging it to another day asks whether to move it. `maySend`: the user may send and move it. */
export function RunChip({ run, list, maySend }: { run: PlannedRun; list: MarkedList | undefined; maySend: boolean }) {
  const zone = useZone();
  const status = statusOfRun(run.status, run.campaign_status);
  const warning = run.warnings?.map(localisedText);
  const groups = t('campaigns.groups', { groups: run.group_count ?? 0 });
  const listName = list && `${t('groups.list')}: ${list.name}`;
  const isMovable = maySend && run.status === 'planned';
  return (
    <span className={classes.chip}>
      <Link
        href={`/campaigns/${run.campaign_id}`}
        className={classes.run}
        data-status={status}
        data-tone={toneOfStatus(status)}
        title={[
          `${run.name}: ${groups}, ${t(`status.${status}`)}`,
          ...describePost(run, zone),
          ...(listName === undefined ? [] : [listName]),
          ...(warning ?? []),
        ].join('\n')}
        draggable={isMovable}
        onDragStart={(event: DragEvent) => event.dataTransfer.setData(DRAGGED_RUN, String(run.run_id))}
      >
        <span className={classes.time}>
          <Dot tone={toneOfStatus(status)} label={clockTime(run.due_at, zone)} />
        </span>{' '}
        <PostMarks run={run} zone={zone} />
        {warning && (
          <span className={classes.mark}>
            <Icon name="alert" size={13} />
          </span>
        )}
        {list && <ListMark list={list} />}
        <span className={`${classes.name} ${textClasses.clip}`} dir="auto">
          {run.name}
        </span>{' '}
        <span className={classes.many}>
          {run.is_follow_up && `${t('followUp.name')} · `}
          {groups}
        </span>
        <VisuallyHidden>
          {run.is_follow_up && t('followUp.name')} ({t(`status.${status}`)}) {listName} {warning?.join(' ')}
        </VisuallyHidden>
      </Link>
      {isMovable && <PlannedRunMenu run={run} zone={zone} isPaused={status === 'paused'} className={classes.runMenu} />}
    </span>
  );
}

/** "12"; the first of a month names it. */
function shortDay(day: string): string {
  if (!day.endsWith('-01')) return String(Number(day.slice(8)));
  return new Intl.DateTimeFormat(locale, { timeZone: 'UTC', day: 'numeric', month: 'short' }).format(
    new Date(`${day}T00:00:00Z`),
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
