/** The text of a notice outside the dashboard, and the page of the dashboard that shows more. */
import type { WorkspaceId } from '../../platform/database/schema.ts';
import { LANGUAGES, knownLanguage } from '../../platform/i18n/languages.ts';
import { translatorFor } from '../../platform/i18n/load-messages.ts';
import type { NoticeKind } from './kinds.ts';
import type { NoticeData } from './notice-store.ts';

const LONGEST_NAME = 100;
/** Kinds whose text names the account. */
const NAMES_ACCOUNT: ReadonlySet<NoticeKind> = new Set(['account_waiting', 'account_handed_over']);

/** Who reads a notice. */
export interface Reader {
  language: string | null;
  timeZone: string;
}

/** Returns one line in the reader's language and time zone. `count`: so many notices of the kind, of which `data` is the newest. */
export function formatNotice(kind: NoticeKind, count: number, data: NoticeData, reader: Reader): string {
  const language = knownLanguage(reader.language);
  const t = translatorFor(language);
  const isAboutAccount = data.account_id !== undefined;
  const unnamed = t(isAboutAccount ? 'notices.mainAccount' : 'notices.unnamed');
  const name = shorten(data.name?.trim() || data.url || unnamed);
  const lines = [t(`notices.texts.${kind}`, { count, name, posts: data.handed_over ?? 0 })];
  if (count === 1 && isAboutAccount && data.name != null && !NAMES_ACCOUNT.has(kind))
    lines.push(t('notices.account', { name }));
  const timeFormat = new Intl.DateTimeFormat(LANGUAGES[language].locale, {
    timeZone: reader.timeZone,
    dateStyle: 'medium',
    timeStyle: 'long',
  });
  const format = (at: string) => timeFormat.format(new Date(at));
  if (count === 1 && data.decision !== undefined) lines.push(t(`notices.decisions.${data.decision}`));
  if (count === 1 && data.due_at !== undefined) lines.push(t('notices.due', { time: format(data.due_at) }));
  if (count === 1 && data.waits_for !== undefined) lines.push(t(`waits.${data.waits_for}`));
  if (count === 1 && data.down_since !== undefined)
    lines.push(t('notices.downSince', { time: format(data.down_since) }));
  if (data.last_good_at != null) lines.push(t('notices.lastBackup', { time: format(data.last_good_at) }));
  return lines.join(' ').replaceAll(/\s+/g, ' ');
}

/** Returns the page of the dashboard that shows it, in its workspace; null: made before a person could have several. */
export function pageOf(kind: NoticeKind, count: number, data: NoticeData, workspace: WorkspaceId | null): string {
  const page = pathOf(kind, count, data);
  return workspace === null ? page : `${page}${page.includes('?') ? '&' : '?'}workspace=${workspace}`;
}

function pathOf(kind: NoticeKind, count: number, data: NoticeData): string {
  const { campaign_id: id, approval_id: asked, account_id: account } = data;
  if (asked !== undefined) return count > 1 ? '/' : `/approvals/${asked}`;
  if (kind.startsWith('campaign_')) return count > 1 || id === undefined ? '/' : `/campaigns/${id}`;
  if (kind === 'webhook_off') return '/settings';
  if (kind === 'backup_old') return '/';
  return count > 1 || account === undefined ? '/account' : `/account?account=${account}`;
}

/** A name can be as long as all that a push service takes. */
function shorten(name: string): string {
  return name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME - 1)}…` : name;
}
