import {
  ACCOUNT_HANDED_OVER_EVENT,
  ACCOUNT_WAITING_EVENT,
  BACKUP_TOO_OLD_EVENT,
  SWITCHED_OFF_EVENT,
} from '../../workspaces/events/event-types.ts';

interface Kind {
  event: string;
  /** By e-mail only what needs action. */
  email: boolean;
  /** Only events whose data has this field. Default is all events of the type. */
  field?: string;
  /** Only for the member who asked, in place of those who manage the workspace. */
  isForAsker?: boolean;
}

/** The kinds of notices: their events, and their default channels. */
const KINDS = {
  campaign_done: { event: 'campaign.completed', email: false },
  campaign_failed: { event: 'campaign.completed_with_errors', email: false },
  campaign_late: { event: 'campaign.late', email: false },
  campaign_missed: { event: 'campaign.missed', email: true },
  /** Not if a user paused it. */
  campaign_paused: { event: 'campaign.paused', email: true, field: 'reason' },
  campaign_rescheduled: { event: 'campaign.rescheduled', email: false },
  campaign_waiting: { event: 'campaign.waiting', email: true },
  campaign_decided: { event: 'campaign.decided', email: true, isForAsker: true },
  account_unlinked: { event: 'account.logged_out', email: true },
  version_refused: { event: 'account.version_refused', email: true },
  account_waiting: { event: ACCOUNT_WAITING_EVENT, email: true },
  account_handed_over: { event: ACCOUNT_HANDED_OVER_EVENT, email: false },
  webhook_off: { event: SWITCHED_OFF_EVENT, email: true },
  /** For the administrators of the installation only. */
  backup_old: { event: BACKUP_TOO_OLD_EVENT, email: true },
} as const satisfies Record<string, Kind>;

export type NoticeKind = keyof typeof KINDS;

export const NOTICE_KINDS = Object.keys(KINDS) as NoticeKind[];
/** The channels of one kind for a user. */
export interface NoticeChannels {
  bell: boolean;
  browser: boolean;
  email: boolean;
}

/** Returns the default channels of a kind. A browser gets nothing before its user has subscribed it. */
export function defaultPreferences(kind: NoticeKind): NoticeChannels {
  return { bell: true, browser: true, email: KINDS[kind].email };
}

export function eventOf(kind: NoticeKind): string {
  return KINDS[kind].event;
}

/** Returns the field that the data of its events must have; null: none. */
export function fieldOf(kind: NoticeKind): string | null {
  const { field }: Kind = KINDS[kind];
  return field ?? null;
}

/** Whether only the member gets this kind who asked for what was decided. */
export function isForAsker(kind: NoticeKind): boolean {
  const { isForAsker: isSo = false }: Kind = KINDS[kind];
  return isSo;
}

/** Whether only members who administer the installation get this kind. */
export function isForAdministrators(kind: NoticeKind): boolean {
  return kind === 'backup_old';
}
