/** The text of a notice outside the dashboard, in English like all mails, and the dashboard page with more details. */
import type { NoticeKind } from './kinds.ts';
import type { NoticeData } from './notice-store.ts';

const LONGEST_NAME = 100;

const ONE: Readonly<Record<NoticeKind, (data: NoticeData) => string>> = {
  campaign_done: (data) => `${nameOf(data)} has ended. Every post was sent.`,
  campaign_failed: (data) => `${nameOf(data)} has ended. Some posts could not be sent.`,
  campaign_late: (data) => `${nameOf(data)} did not begin on time, at ${data.due_at ?? 'its hour'}.`,
  campaign_missed: (data) =>
    `${nameOf(data)} could not begin in time. The posts due at ${data.due_at ?? 'its time'} are not sent.`,
  account_unlinked: () => 'Your account is no longer linked. Nothing is sent until you link it again.',
  version_refused: () =>
    'The messaging application rejects the version of the client. Nothing is sent until the client is updated.',
  webhook_off: ({ url }) => `The webhook to ${shorten(url ?? '')} was disabled, since every delivery to it failed.`,
  backup_old: ({ last_good_at: at }) =>
    at == null
      ? 'The installation has no good backup.'
      : `The newest good backup of the installation was made at ${at}.`,
};

/** For the other kinds the newest notice contains everything. */
const MANY: Readonly<Partial<Record<NoticeKind, (count: number) => string>>> = {
  campaign_done: (count) => `${count} campaigns have ended. Every post was sent.`,
  campaign_failed: (count) => `${count} campaigns have ended. Some posts could not be sent.`,
  campaign_late: (count) => `${count} runs did not begin on time.`,
  campaign_missed: (count) => `${count} runs could not begin in time. Their posts are not sent.`,
  webhook_off: (count) => `${count} webhooks were disabled, since every delivery to them failed.`,
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
