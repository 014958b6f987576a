import { t } from '../i18n/translate.ts';
import type { EventFilter, EventType } from '../api/operations.ts';

/** The groups of events in the form. */
export type EventKind = 'campaigns' | 'posts' | 'account' | 'groups';

const KINDS: Readonly<Record<EventType, EventKind>> = {
  'campaign.accepted': 'campaigns',
  'campaign.started': 'campaigns',
  'campaign.completed': 'campaigns',
  'campaign.completed_with_errors': 'campaigns',
  'campaign.paused': 'campaigns',
  'campaign.resumed': 'campaigns',
  'campaign.cancelled': 'campaigns',
  'campaign.missed': 'campaigns',
  'campaign.late': 'campaigns',
  'campaign.rescheduled': 'campaigns',
  'campaign.recalled': 'campaigns',
  'campaign.corrected': 'campaigns',
  'campaign.pinned': 'campaigns',
  'campaign.unpinned': 'campaigns',
  'campaign.waiting': 'campaigns',
  'campaign.decided': 'campaigns',
  'run.started': 'campaigns',
  'run.completed': 'campaigns',
  'delivery.failed': 'posts',
  'delivery.unknown': 'posts',
  'account.connected': 'account',
  'account.paused': 'account',
  'account.restricted': 'account',
  'account.logged_out': 'account',
  'account.version_refused': 'account',
  'account.waiting': 'account',
  'account.handed_over': 'account',
  'group.changed': 'groups',
  'message.reply': 'groups',
  'message.reaction': 'groups',
  'poll.vote': 'groups',
};

export const EVENT_KINDS: readonly EventKind[] = ['campaigns', 'posts', 'account', 'groups'];
/** All event types. */
const EVENTS = Object.keys(KINDS) as EventType[];

export function eventsOf(kind: EventKind): EventType[] {
  return EVENTS.filter((event) => KINDS[event] === kind);
}

/** A part of the event types, such as `campaign`: the filter `campaign.*` contains it, with the types of later versions. */
export type EventFamily = EventType extends `${infer Family}.${string}` ? Family : never;

function familyOf(event: EventType): EventFamily {
  return event.split('.')[0] as EventFamily;
}

export function familiesOf(kind: EventKind): EventFamily[] {
  return [...new Set(eventsOf(kind).map(familyOf))];
}

/** Whether a wildcard of the filters contains an event type. */
export function isInWildcard(event: EventType, filters: readonly EventFilter[]): boolean {
  return filters.includes('*') || filters.includes(`${familyOf(event)}.*`);
}

/** Whether the filters contain all present event types. */
export function containsAll(filters: readonly EventFilter[]): boolean {
  return EVENTS.every((event) => filters.includes(event) || isInWildcard(event, filters));
}

/** Adds a family to the filters in place of its types, or removes it. */
export function withFamily(filters: readonly EventFilter[], family: EventFamily, isPicked: boolean): EventFilter[] {
  const others = filters.filter((one) => !one.startsWith(`${family}.`));
  return isPicked ? [...others, `${family}.*`] : others;
}

/** Returns the name of a filter for people. */
export function filterName(filter: EventFilter): string {
  if (filter === '*') return t('webhooks.everything');
  if (isEvent(filter)) return t(`webhooks.events.${filter}`);
  return t(`webhooks.families.${filter.slice(0, -'.*'.length) as EventFamily}`);
}

export function isEvent(name: string): name is EventType {
  return Object.hasOwn(KINDS, name);
}
