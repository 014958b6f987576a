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
  /** Only events whose data has what this jsonpath finds. Default is all events of the type. */
  path?: string;
  /** Only for the member who asked, in place of those who manage the workspace. */
  isForAsker?: boolean;
  /** Only for members who administer the installation. */
  isForAdministrators?: boolean;
}

const KINDS = {
  campaign_done: { event: 'campaign.completed', email: false },
  /** Of each run, while there is time to send again: a plan may end months later. */
  campaign_failed: { event: 'run.completed', email: true, path: '$ ? (@.status == "completed_with_errors")' },
  campaign_late: { event: 'campaign.late', email: false },
  campaign_missed: { event: 'campaign.missed', email: true },
  /** Not if a user paused it. */
  campaign_paused: { event: 'campaign.paused', email: true, path: '$.reason' },
  campaign_rescheduled: { event: 'campaign.rescheduled', email: false },
  campaign_waiting: { event: 'campaign.waiting', email: true },
  campaign_decided: { event: 'campaign.decided', email: true, isForAsker: true },
  account_unlinked: { event: 'account.logged_out', email: true },
  version_refused: { event: 'account.version_refused', email: true },
  account_waiting: { event: ACCOUNT_WAITING_EVENT, email: true },
  account_handed_over: { event: ACCOUNT_HANDED_OVER_EVENT, email: false },
  webhook_off: { event: SWITCHED_OFF_EVENT, email: true },
  backup_old: { event: BACKUP_TOO_OLD_EVENT, email: true, isForAdministrators: true },
} as const satisfies Record<string, Kind>;

export type NoticeKind = keyof typeof KINDS;

/** The kinds of notices: their events, and their default channels. */
export const KIND_RULES: Readonly<Record<NoticeKind, Kind>> = KINDS;
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
