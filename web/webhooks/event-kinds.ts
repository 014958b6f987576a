import type { EventType } from '../api/operations.ts';

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
  'run.started': 'campaigns',
  'run.completed': 'campaigns',
  'delivery.failed': 'posts',
  'delivery.unknown': 'posts',
  'account.connected': 'account',
  'account.paused': 'account',
  'account.restricted': 'account',
  'account.logged_out': 'account',
  'account.version_refused': 'account',
  'group.changed': 'groups',
  'message.reply': 'groups',
  'message.reaction': 'groups',
};

export const EVENT_KINDS: readonly EventKind[] = ['campaigns', 'posts', 'account', 'groups'];
/** All events of a webhook. */
export const EVENTS = Object.keys(KINDS) as EventType[];

export function eventsOf(kind: EventKind): EventType[] {
  return EVENTS.filter((event) => KINDS[event] === kind);
}

export function isEvent(name: string): name is EventType {
  return Object.hasOwn(KINDS, name);
}
