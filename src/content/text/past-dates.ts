/** The dates of a text that have passed when it is posted: an author has sent an old post again, or planned it for too long. */
import { LANGUAGES } from '../../platform/i18n/languages.ts';
import { namedWarning, type Warning } from './warnings.ts';

const TIME = /(?<![\d.])(?:[01]?\d|2[0-3])[:h][0-5]\d(?!\d)|(?<!\d)\d{1,2}\s?(?:uhr|am|pm|a\.m\.|p\.m\.|बजे)(?!\p{L})/iu;
const ADDRESSES = /(?:https?:\/\/|www\.)\S*/gi;
/** Without a year a date within so many days is the last one. A longer time ago it may be the next one. */
const NEAR_DAYS = 60;
/** Older ones are history. */
const RECENT_DAYS = 366;
/** Where a day ends last, in hours behind UTC. No zone is asked for: a warning is sure or not given. */
const LAST_ZONE_HOURS = 12;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

let dates: ReturnType<typeof listDates> | undefined;

/**
 * Warns of a text all of whose dates have passed when the last of these runs is due, of which one has a time of day and is not long ago: an
 * invitation, and no report. Reads dates in the languages of the dashboard.
 */
export function warnOfPastDates(text: string, dueAt: readonly Date[]): Warning[] {
  const last = dueAt.at(-1);
  if (!last || !TIME.test(text)) return [];
  dates ??= listDates();
  const today = new Date(last.getTime() - LAST_ZONE_HOURS * HOUR_MS);
  const passed = new Set<string>();
  for (const line of text.replaceAll(ADDRESSES, ' ').split('\n'))
    for (const { 0: written, groups = {} } of dates.patterns.flatMap((pattern) => [...line.matchAll(pattern)])) {
      const { year, name = '', month = dates.months.get(name.toLowerCase()), day } = groups;
      const days = daysUntil(today, { year, month: Number(month), day: Number(day) });
      if (days === undefined) continue;
      if (days >= 0) return [];
      if (days > -RECENT_DAYS && TIME.test(line.replace(written, ' '))) passed.add(written.trim());
    }
  return passed.size > 0 ? [namedWarning('date_passed', [...passed].map((one) => JSON.stringify(one)).join(', '))] : [];
}

/** Returns the forms of dates, and the numbers of months by their names. Made when it is needed: it takes 20 ms. */
function listDates(): { patterns: readonly RegExp[]; months: ReadonlyMap<string, number> } {
  const months = new Map(Object.values(LANGUAGES).flatMap(({ locale }) => nameMonths(locale)));
  const names = [...months.keys()].join('|');
  const day = String.raw`(?<day>\d{1,2})`;
  const name = `(?<name>${names})`;
  const patterns = [
    /(?<![\d-])(?<year>\d{4})-(?<month>\d\d)-(?<day>\d\d)(?![\d-])/g,
    /(?<![\d.])(?<day>\d{1,2})\.\s?(?<month>\d{1,2})\.\s?(?<year>\d{4})?(?![\d.])/g,
    new RegExp(String.raw`(?<!\d)${day}\.?\s(?:de\s)?${name}(?!\p{L})(?:,?\s(?:de\s)?(?<year>\d{4}))?`, 'giu'),
    new RegExp(String.raw`(?<!\p{L})${name}\s${day}(?!\d)(?:,?\s(?<year>\d{4}))?`, 'giu'),
  ];
  return { patterns, months };
}

function nameMonths(locale: string): Array<[name: string, number: number]> {
  const format = new Intl.DateTimeFormat(locale, { month: 'long', timeZone: 'UTC' });
  return Array.from({ length: 12 }, (_, index) => [format.format(Date.UTC(2026, index, 15)).toLowerCase(), index + 1]);
}

/** Negative: it has passed. Undefined: there is no such day, or it may be of this year or the next. */
function daysUntil(
  today: Date,
  { year, month, day }: { year: string | undefined; month: number; day: number },
): number | undefined {
  const date = new Date(Date.UTC(Number(year ?? today.getUTCFullYear()), month - 1, day));
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined;
  const days = Math.ceil((date.getTime() - today.getTime()) / DAY_MS);
  return year === undefined && days < -NEAR_DAYS ? undefined : days;
}
