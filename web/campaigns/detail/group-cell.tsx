import { ActionIcon } from '@mantine/core';
import type { ReactNode } from 'react';
import type { GroupRow } from '../../api/operations.ts';
import { failureText } from '../../format/failure-text.ts';
import { count, share } from '../../format/numbers.ts';
import { GroupLink } from '../../groups/group-link.tsx';
import { Icon } from '../../parts/icons.tsx';
import { Rate } from '../../parts/rate.tsx';
import textClasses from '../../parts/text.module.css';
import { locale, t } from '../../i18n/translate.ts';
import classes from './group-table.module.css';
import { isRefused } from './revisions.tsx';

/** Created once: `localeCompare` would create a collator for each pair. */
const NAMES = new Intl.Collator(locale, { numeric: true });

export const COLUMNS = [
  'group_name',
  'sent',
  'revised',
  'failed',
  'participants',
  'recipients',
  'delivered',
  'read',
  'reactions',
  'replies',
] as const;
export type Column = (typeof COLUMNS)[number];

/** The states of posts to a group; with several posts, a group can have several. */
export const STATES = ['sent', 'failed', 'waiting', 'cancelled'] as const;
type GroupState = (typeof STATES)[number];

export function hasState(group: GroupRow, state: GroupState): boolean {
  return group[state === 'waiting' ? 'queued' : state] > 0;
}

export interface CellProps {
  group: GroupRow;
  column: Column;
  /** Queued posts wait until the campaign is resumed. */
  isPaused: boolean;
  /** Shows what a post with fields said to the group. */
  showPost?: ((group: GroupRow) => void) | undefined;
}

export function Cell(props: CellProps) {
  const { isDim, ...cell } = contentOf(props);
  const { column } = props;
  const className = column === 'group_name' ? classes.name : isDim ? textClasses.dim : undefined;
  return <td data-column={column} className={className} {...cell} />;
}

/** `isDim`: a zero, or unknown. */
function contentOf({ group, column, isPaused, showPost }: CellProps): {
  children: ReactNode;
  className?: string | undefined;
  title?: string | undefined;
  isDim?: boolean;
} {
  switch (column) {
    case 'group_name':
      return {
        children: (
          <>
            <span className={classes.named}>
              <GroupLink group={group} />
              {showPost && group.deliveries > 0 && (
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  size="sm"
                  aria-label={t('campaign.inGroup.show', { name: group.group_name })}
                  title={t('campaign.inGroup.title')}
                  onClick={() => showPost(group)}
                >
                  <Icon name="eye" size={16} />
                </ActionIcon>
              )}
            </span>
            <span className={`${classes.below} ${textClasses.clip}`}>{summarize(group, isPaused)}</span>
          </>
        ),
      };
    case 'sent':
      return {
        title: group.skipped === undefined ? undefined : reasonOf(group),
        children: sentOf(group, isPaused),
      };
    case 'revised':
      return {
        // In full above the table, with its groups.
        ...(isRefused(group) && { title: reasonOf(group), className: textClasses.failed }),
        children: revisionOf(group),
      };
    case 'failed':
      return {
        title: group.failed === 0 ? undefined : reasonOf(group),
        ...(group.failed > 0 ? { className: textClasses.failed } : { isDim: true }),
        children: count(group.failed),
      };
    case 'delivered':
      return {
        title: peopleOf(group.delivered, group),
        isDim: !group.delivery_rate,
        children: share(group.delivery_rate),
      };
    case 'read':
      // Channels report views.
      return group.kind === 'channel'
        ? { children: viewsOf(group), isDim: !group.views }
        : { title: peopleOf(group.read, group), children: <Rate of={group.read_rate} /> };
    case 'participants':
      return { children: count(group.participants) };
    case 'recipients':
      return group.sent > 0 ? { children: count(group.recipients) } : { children: t('common.unknown'), isDim: true };
    case 'reactions':
    case 'replies':
      return { children: count(group[column]), isDim: !group[column] };
    default:
      return column satisfies never;
  }
}

const reasonOf = ({ last_error: error, ...group }: GroupRow) => failureText({ ...group, error }).what;

function sentOf(group: GroupRow, isPaused: boolean): string {
  return group.deliveries > 1
    ? t('campaigns.sentOf', { sent: count(group.sent), all: count(group.deliveries) })
    : stateOf(group, isPaused);
}

/** On a phone, below the name: what the columns say that have no room there. */
function summarize(group: GroupRow, isPaused: boolean): string {
  if (group.deliveries === 0) return '';
  const failed = group.failed > 0 && group.sent > 0 ? [t('campaigns.failed', { failed: count(group.failed) })] : [];
  const reached = group.kind === 'channel' || group.sent === 0 ? [] : [peopleOf(group.delivered, group)];
  return [sentOf(group, isPaused), ...failed, ...reached].join(' · ');
}

function peopleOf(some: number | null, { recipients }: GroupRow): string {
  return t('campaign.people', { some: count(some), all: count(recipients) });
}

function stateOf({ sent, failed, cancelled, skipped }: GroupRow, isPaused: boolean): string {
  if (sent > 0) return t('campaign.state.sent');
  if (failed > 0) return t('campaign.state.failed');
  if (skipped !== undefined) return t('campaign.state.leftOut');
  if (cancelled > 0) return t('campaign.state.cancelled');
  return isPaused ? t('status.paused') : t('campaign.state.waiting');
}

function revisionOf(group: GroupRow): string {
  const { sent, recalled = 0, corrected = 0 } = group;
  if (recalled > 0)
    return recalled < sent
      ? t('revise.partOf', { what: t('revise.deleted'), posts: count(recalled) })
      : t('revise.deleted');
  if (isRefused(group)) return t('campaign.state.failed');
  if (corrected > 0)
    return corrected < sent
      ? t('revise.partOf', { what: t('revise.edited'), posts: count(corrected) })
      : t('revise.edited');
  return t('common.unknown');
}

export function compare(one: GroupRow, other: GroupRow, by: Column): number {
  if (by === 'group_name') return NAMES.compare(one.group_name, other.group_name);
  return valueOf(one, by) - valueOf(other, by);
}

function valueOf(group: GroupRow, by: Exclude<Column, 'group_name'>): number {
  if (by === 'delivered') return group.delivery_rate ?? -1;
  if (by === 'read') return group.read_rate ?? -1;
  if (by === 'revised')
    return isRefused(group) ? 3 : (group.recalled ?? 0) > 0 ? 2 : (group.corrected ?? 0) > 0 ? 1 : 0;
  return group[by] ?? -1;
}

function viewsOf({ views }: GroupRow): string {
  return views === null ? t('common.unknown') : t('report.viewsOf', { views });
}
