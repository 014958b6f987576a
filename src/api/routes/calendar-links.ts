import { createHash } from 'node:crypto';
import type { ICalEventStatus } from 'ical-generator';
import { countAttempts, type AttemptLimit } from '../../identity/sign-in/brute-force-limit.ts';
import { networkOf } from '../../identity/sign-in/known-networks.ts';
import type { Database } from '../../platform/database/statements.ts';
import { knownLanguage } from '../../platform/i18n/languages.ts';
import { translatorFor } from '../../platform/i18n/load-messages.ts';
import {
  findLinkedCalendar,
  listCalendarLinks,
  readLinkedRuns,
  revokeCalendarLink,
  shareCalendar,
  type CalendarRun,
  type LinkedCalendar,
} from '../../sending/campaigns/read/calendar-links.ts';
import { FEED_PATH, type calendarLinks } from '../contract/calendar-links.ts';
import type { Handlers } from '../operation.ts';

export const calendarLinkHandlers: Handlers<typeof calendarLinks, { db: Database }> = {
  async shareCalendar(deps, { body, actor }) {
    const link = await shareCalendar(deps, actor, body);
    return { ...link, path: FEED_PATH.replace(':file', `${link.token}.ics`) };
  },

  listCalendarLinks: async (deps, { actor }) => ({ links: await listCalendarLinks(deps, actor) }),

  revokeCalendarLink: (deps, { body, actor }) => revokeCalendarLink(deps, actor, body.calendarLinkId),
};

const MINUTE_MS = 60_000;
/** Unknown tokens count too. The keys are stored as hashes. */
const READS_PER_ADDRESS: AttemptLimit = { name: 'calendar links from', max: 60, windowMs: MINUTE_MS };
const READS_PER_LINK: AttemptLimit = { name: 'calendar link', max: 20, windowMs: MINUTE_MS };

/** A feed, and the tag that stays the same while it does. */
export interface Feed {
  etag: string;
  /** Takes a tenth of a second of CPU for the largest feed, so it is written for programs that do not have it yet. */
  write: () => Promise<string>;
}

/** Returns the feed of a link. Throws 404 and 429. */
export async function readFeed(
  { db }: { db: Database },
  { token, address }: { token: string; address: string },
): Promise<Feed> {
  await countAttempts(db, [
    { limit: READS_PER_ADDRESS, key: networkOf(address) },
    { limit: READS_PER_LINK, key: token },
  ]);
  const calendar = await findLinkedCalendar(db, token);
  const runs = await readLinkedRuns(db, calendar);
  const hash = createHash('sha256').update(JSON.stringify([FORM, calendar, runs]));
  return { etag: `"${hash.digest('base64url')}"`, write: () => writeFeed(calendar, runs) };
}

/** Rises when the same runs are written in another way. */
const FORM = 3;
const EVENT_MS = 15 * MINUTE_MS;
const TTL_SECONDS = 60 * 60;

/** Writes RFC 5545. The library is loaded here, since few installations share their calendar. */
async function writeFeed(calendar: LinkedCalendar, runs: readonly CalendarRun[]): Promise<string> {
  const { default: ical, escape, ICalCalendarMethod, ICalEventTransparency } = await import('ical-generator');
  const t = translatorFor(knownLanguage(calendar.language));
  const names = [calendar.workspaceName ?? 'Campanile', calendar.groupListName].filter((name) => name !== null);
  const feed = ical({
    // The library escapes no name of a calendar.
    name: escape(withoutControls(names.join(' · ')), false),
    prodId: { company: 'Campanile', product: 'Campanile' },
    method: ICalCalendarMethod.PUBLISH,
    ttl: TTL_SECONDS,
  });
  for (const run of runs)
    feed.createEvent({
      id: `run-${run.runId}-${run.campaignId}@campanile`,
      // Seconds of the campaign's life: it rises with each change, whatever changes.
      sequence: Math.ceil((run.changedAt.getTime() - run.createdAt.getTime()) / 1_000),
      // Without a method of its own, a feed is as old as what it says.
      stamp: run.changedAt,
      lastModified: run.changedAt,
      start: run.dueAt,
      end: new Date(run.dueAt.getTime() + EVENT_MS),
      summary: withoutControls(run.name),
      description: `${t(`status.${run.isPaused && run.status === 'planned' ? 'paused' : run.status}`)} · ${t('calendar.feedGroups', { groups: run.groupCount })}`,
      status: statusOf(run),
      transparency: ICalEventTransparency.TRANSPARENT,
    });
  // The last line ends as all others do (RFC 5545 §3.1).
  return `${feed.toString()}\r\n`;
}

/** RFC 5545 §3.3.11 has none in a text. */
function withoutControls(text: string): string {
  return text.replaceAll(/[^\P{Cc}\n]/gu, '');
}

function statusOf({ status, isPaused }: CalendarRun): ICalEventStatus {
  if (status === 'cancelled' || status === 'missed') return 'CANCELLED' as ICalEventStatus;
  return (status === 'planned' && isPaused ? 'TENTATIVE' : 'CONFIRMED') as ICalEventStatus;
}
