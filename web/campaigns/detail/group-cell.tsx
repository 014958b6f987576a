import type { GroupRow } from '../../api/operations.ts';
import { count, share } from '../../format/numbers.ts';
import { GroupLink } from '../../groups/group-link.tsx';
import textClasses from '../../parts/text.module.css';
import { words } from '../../words/words.ts';
import classes from './group-table.module.css';
import { isRefused } from './revisions.tsx';

/** Created once: `localeCompare` would create a collator for each pair. */
const NAMES = new Intl.Collator(words.locale, { numeric: true });

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
export type GroupState = (typeof STATES)[number];

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
        <td>
          {group.deliveries > 1
            ? words.campaigns.sentOf(count(group.sent), count(group.deliveries))
            : stateOf(group, isPaused)}
        </td>
      );
    case 'revised': {
      const said = revisionOf(group);
      return (
        <td title={said}>
          <span className={textClasses.clip}>{said}</span>
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
        <td>{words.campaign.viewsOf(count(group.views))}</td>
      ) : (
        <td title={peopleOf(group.read, group)}>{share(group.read_rate)}</td>
      );
    case 'recipients':
      return <td>{group.sent > 0 ? count(group.recipients) : words.unknown}</td>;
    case 'reactions':
    case 'replies':
      return <td>{count(group[column])}</td>;
    default:
      return column satisfies never;
  }
}

function peopleOf(some: number | null, { recipients }: GroupRow): string {
  return words.campaign.people(count(some), count(recipients));
}

function stateOf({ sent, failed, cancelled }: GroupRow, isPaused: boolean): string {
  const { state } = words.campaign;
  if (sent > 0) return state.sent;
  if (failed > 0) return state.failed;
  if (cancelled > 0) return state.cancelled;
  return isPaused ? words.status.paused : state.waiting;
}

function revisionOf(group: GroupRow): string {
  const { sent, recalled = 0, corrected = 0 } = group;
  if (recalled > 0)
    return recalled < sent ? words.revise.partOf(words.revise.deleted, count(recalled)) : words.revise.deleted;
  if (isRefused(group)) return words.revise.notDone(group.last_error ?? '');
  if (corrected > 0)
    return corrected < sent ? words.revise.partOf(words.revise.edited, count(corrected)) : words.revise.edited;
  return words.unknown;
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
