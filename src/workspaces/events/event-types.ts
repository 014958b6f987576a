/** The events of a workspace, with their wire names: object, then verb. */
export const EVENT_TYPES = [
  'campaign.accepted',
  'campaign.started',
  'campaign.completed',
  'campaign.completed_with_errors',
  'campaign.paused',
  'campaign.resumed',
  'campaign.cancelled',
  'campaign.missed',
  'campaign.late',
  'campaign.rescheduled',
  'campaign.recalled',
  'campaign.corrected',
  'campaign.pinned',
  'campaign.unpinned',
  'campaign.waiting',
  'campaign.decided',
  'run.started',
  'run.completed',
  'delivery.failed',
  'delivery.unknown',
  'account.connected',
  'account.paused',
  'account.restricted',
  'account.logged_out',
  'account.version_refused',
  'account.waiting',
  'account.handed_over',
  'group.changed',
  'message.reply',
  'message.reaction',
  'poll.vote',
] as const;

export type EventType = (typeof EVENT_TYPES)[number];

type FamilyOf<Type> = Type extends `${infer Family}.${string}` ? Family : never;
/** A subscription: an event type, all types of a family (`campaign.*`), or all types (`*`), including those of later versions. */
export type EventFilter = '*' | `${FamilyOf<EventType>}.*` | EventType;

/** All filters: the wildcards first. */
export const EVENT_FILTERS: readonly EventFilter[] = [
  ...new Set<EventFilter>([
    '*',
    ...EVENT_TYPES.map((type) => `${type.split('.')[0] as FamilyOf<EventType>}.*` as const),
    ...EVENT_TYPES,
  ]),
];

/** An account cannot send, and posts wait for it that another account could send: the members decide. */
export const ACCOUNT_WAITING_EVENT = 'account.waiting' satisfies EventType;
/** The service handed posts of an account that cannot send over to other accounts. */
export const ACCOUNT_HANDED_OVER_EVENT = 'account.handed_over' satisfies EventType;
/** Delivered to one webhook alone, at its owner's request. */
export const TEST_EVENT = 'webhook.test';
/** A webhook was switched off; told to no webhook. */
export const SWITCHED_OFF_EVENT = 'webhook.switched_off';
/** No backup of the installation is young enough; told to the administrators alone. */
export const BACKUP_TOO_OLD_EVENT = 'backup.too_old';
