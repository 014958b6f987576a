import type { GroupRow } from '../../api/operations.ts';
import { count, share } from '../../format/numbers.ts';
import { GroupLink } from '../../groups/group-link.tsx';
import textClasses from '../../parts/text.module.css';
import { locale, t } from '../../i18n/translate.ts';
import classes from './group-table.module.css';
import { skippedText } from './follow-up-results.tsx';
import { isRefused } from './revisions.tsx';

/** Created once: `localeCompare` would create a collator for each pair. */
const NAMES = new Intl.Collator(locale, { numeric: true });

export const COLUMNS = [
  'group_name',
  'sent',
  'revised',
  'failed',
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

/** `isPaused`: queued posts wait until the campaign is resumed. */
export function Cell({ group, column, isPaused }: { group: GroupRow; column: Column; isPaused: boolean }) {
  switch (column) {
    case 'group_name':
      return (
        <td className={classes.name}>
          <GroupLink group={group} />
        </td>
      );
    case 'sent':
      return (
        <td title={group.skipped === undefined ? undefined : skippedText(group.skipped)}>
          {group.deliveries > 1
            ? t('campaigns.sentOf', { sent: count(group.sent), all: count(group.deliveries) })
            : stateOf(group, isPaused)}
        </td>
      );
    case 'revised': {
      const revision = revisionOf(group);
      return (
        <td title={revision}>
          <span className={textClasses.clip}>{revision}</span>
        </td>
      );
    }
    case 'failed':
      return (
        <td className={group.failed > 0 ? textClasses.failed : textClasses.dim} title={group.last_error ?? undefined}>
          {count(group.failed)}
        </td>
      );
    case 'delivered':
      return <td title={peopleOf(group.delivered, group)}>{share(group.delivery_rate)}</td>;
    case 'read':
      // Channels report views.
      return group.kind === 'channel' ? (
        <td>{t('campaign.viewsOf', { views: count(group.views) })}</td>
      ) : (
        <td title={peopleOf(group.read, group)}>{share(group.read_rate)}</td>
      );
    case 'recipients':
      return <td>{group.sent > 0 ? count(group.recipients) : t('common.unknown')}</td>;
    case 'reactions':
    case 'replies':
      return <td className={group[column] === 0 ? textClasses.dim : undefined}>{count(group[column])}</td>;
    default:
      return column satisfies never;
  }
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
  if (isRefused(group)) return t('revise.notDone', { why: group.last_error ?? '' });
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
