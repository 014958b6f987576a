/** What a notice says outside the dashboard, in English as all mails are, and which of its pages shows more. */
import type { NoticeKind } from './kinds.ts';
import type { NoticeData } from './notice-store.ts';

const LONGEST_NAME = 100;

const ONE: Readonly<Record<NoticeKind, (data: NoticeData) => string>> = {
  campaign_done: (data) => `${nameOf(data)} has ended: everything was sent.`,
  campaign_failed: (data) => `${nameOf(data)} has ended, and some of it could not be sent.`,
  campaign_late: (data) => `${nameOf(data)} did not begin on time, at ${data.due_at ?? 'its hour'}.`,
  campaign_missed: (data) =>
    `${nameOf(data)} could not begin in time: what was due at ${data.due_at ?? 'its time'} is not sent.`,
  account_unlinked: () => 'Your account is no longer linked: nothing is sent until you link it again.',
  version_refused: () =>
    'The messaging application refuses the version of the client: nothing is sent until it is brought up to date.',
  webhook_off: ({ url }) =>
    `The webhook to ${shorten(url ?? '')} was switched off, since it could not be told anything.`,
  backup_old: ({ last_good_at: at }) =>
    at == null
      ? 'There is no good backup of the installation.'
      : `The newest good backup of the installation is of ${at}.`,
};

/** Of the others the newest says all there is to say. */
const MANY: Readonly<Partial<Record<NoticeKind, (count: number) => string>>> = {
  campaign_done: (count) => `${count} campaigns have ended: everything was sent.`,
  campaign_failed: (count) => `${count} campaigns have ended, and some of what they say could not be sent.`,
  campaign_late: (count) => `${count} times something did not begin on time.`,
  campaign_missed: (count) => `${count} times something could not begin in time, and is not sent.`,
  webhook_off: (count) => `${count} webhooks were switched off, since they could not be told anything.`,
};

/** One line. */
export function formatNotice(kind: NoticeKind, count: number, data: NoticeData): string {
  return ((count > 1 ? MANY[kind]?.(count) : undefined) ?? ONE[kind](data)).replaceAll(/\s+/g, ' ');
}

/** The page of the dashboard that shows it. */
export function pageOf(kind: NoticeKind, count: number, { campaign_id: id }: NoticeData): string {
  if (kind.startsWith('campaign_')) return count > 1 || id === undefined ? '/' : `/campaigns/${id}`;
  if (kind === 'webhook_off') return '/settings';
  return kind === 'backup_old' ? '/' : '/account';
}

function nameOf({ name = '' }: NoticeData): string {
  return name.trim() === '' ? 'A campaign without a name' : `“${shorten(name)}”`;
}

/** A name can be as long as a push service takes in all. */
export function shorten(name: string): string {
  return name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME - 1)}…` : name;
}
