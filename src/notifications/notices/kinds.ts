import { BACKUP_TOO_OLD_EVENT, SWITCHED_OFF_EVENT } from '../../workspaces/events/event-types.ts';

/** What people are told of: by which event, and how unless they choose otherwise. By e-mail only what waits for somebody. */
const KINDS = {
  campaign_done: { event: 'campaign.completed', email: false },
  campaign_failed: { event: 'campaign.completed_with_errors', email: false },
  campaign_late: { event: 'campaign.late', email: false },
  campaign_missed: { event: 'campaign.missed', email: true },
  account_unlinked: { event: 'account.logged_out', email: true },
  version_refused: { event: 'account.version_refused', email: true },
  webhook_off: { event: SWITCHED_OFF_EVENT, email: true },
  /** For administrators of the installation alone. */
  backup_old: { event: BACKUP_TOO_OLD_EVENT, email: true },
} as const;

export type NoticeKind = keyof typeof KINDS;

export const NOTICE_KINDS = Object.keys(KINDS) as NoticeKind[];
/** Where somebody wants to be told of a kind. */
export interface NoticeChannels {
  bell: boolean;
  browser: boolean;
  email: boolean;
}

/** How a kind is told to who has not chosen. A browser is told nothing before somebody subscribed it. */
export function defaultPreferences(kind: NoticeKind): NoticeChannels {
  return { bell: true, browser: true, email: KINDS[kind].email };
}

export function eventOf(kind: NoticeKind): string {
  return KINDS[kind].event;
}

/** Whether only members who administer the installation get this kind. */
export function isForAdministrators(kind: NoticeKind): boolean {
  return kind === 'backup_old';
}
