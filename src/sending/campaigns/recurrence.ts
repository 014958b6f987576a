/** Recurrence rules of RFC 5545 as a schedule has them: `RRULE`, and further lines of `RDATE` and `EXDATE`. Pure. */
import { RRuleTemporal } from 'rrule-temporal';
import type { IssueCode, IssueParams } from '../../platform/errors/issues.ts';
import { isTimeZone } from '../../platform/time/time-zone.ts';

/** By the wall clock of the schedule, or an instant in its zone: it was given in UTC, or in another zone. */
export type Time = Temporal.PlainDateTime | Temporal.ZonedDateTime;

/** A recurrence in wall-clock times of the zone of its schedule: clock changes come after it. */
export interface Recurrence {
  /** An `RRULE` of which an `UNTIL` is the wall-clock time, written as if it were UTC; a day more where it is an instant. */
  rule: string;
  /** The last wall-clock time that the rule may give; undefined: it has no `UNTIL` and no `COUNT`. */
  end: Temporal.PlainDateTime | undefined;
  /** An `UNTIL` that is an instant. */
  until: Temporal.ZonedDateTime | undefined;
  /** All times of a rule with `COUNT`, since each listing would count from the first. */
  counted: readonly Temporal.PlainDateTime[] | undefined;
  /** `RDATE`. */
  added: readonly Time[];
  /** `EXDATE`: a time, or a date of which every time is left out. */
  excluded: ReadonlyArray<Time | Temporal.PlainDate>;
}

export class RecurrenceError extends Error {
  override name = 'RecurrenceError';
  /** Not `code`: an error with a code is taken for one of the system, which is nobody's fault (`isDataError`). */
  readonly issue: IssueCode;
  readonly params: IssueParams;

  constructor(issue: IssueCode, params: IssueParams) {
    super(issue);
    this.issue = issue;
    this.params = params;
  }
}

/** Of one day. */
export const RUNS_A_DAY_LIMIT = 24;
const LIMITS: Readonly<Record<string, number>> = { COUNT: 1_000, INTERVAL: 9_999 };
/** A recurrence without a date for so long never comes. */
export const LONGEST_WAIT_YEARS = 10;
/** Of two years by the hour, which are listed of a schedule that began a year ago. */
const ITERATIONS_LIMIT = 20_000;
/** Values of `RDATE`, of `EXDATE`, and dates that a schedule skips. */
export const TIMES_LIMIT = 366;

const list = (value: string) => new RegExp(`^${value}(,${value})*$`);
const DAY = '(MO|TU|WE|TH|FR|SA|SU)';
/** The parts of a rule and their values. `RRuleTemporal` ignores others without a word. */
const PARTS: Readonly<Record<string, RegExp>> = {
  FREQ: /^(YEARLY|MONTHLY|WEEKLY|DAILY|HOURLY)$/,
  INTERVAL: /^0*[1-9]\d*$/,
  COUNT: /^0*[1-9]\d*$/,
  UNTIL: /^\d{8}(T\d{6}Z?)?$/,
  WKST: new RegExp(`^${DAY}$`),
  BYMONTH: list('(0?[1-9]|1[0-2])'),
  BYWEEKNO: list('[+-]?(0?[1-9]|[1-4]\\d|5[0-3])'),
  BYYEARDAY: list('[+-]?(0{0,2}[1-9]|0?[1-9]\\d|[12]\\d\\d|3[0-5]\\d|36[0-6])'),
  BYMONTHDAY: list('[+-]?(0?[1-9]|[12]\\d|3[01])'),
  BYDAY: list(`([+-]?(0?[1-9]|[1-4]\\d|5[0-3]))?${DAY}`),
  BYHOUR: list('([01]?\\d|2[0-3])'),
  BYMINUTE: list('[0-5]?\\d'),
  BYSETPOS: list('[+-]?(0{0,2}[1-9]|0?[1-9]\\d|[12]\\d\\d|3[0-5]\\d|36[0-6])'),
};

/** Pairs with which `rrule-temporal` lists other dates than RFC 5545, of rules with `FREQ=YEARLY` (decision 0131). */
const CLASHES = [
  ['BYYEARDAY', 'BYDAY'],
  ['BYYEARDAY', 'BYMONTHDAY'],
  ['BYYEARDAY', 'BYWEEKNO'],
  ['BYWEEKNO', 'BYMONTHDAY'],
  ['BYWEEKNO', 'BYSETPOS'],
] as const;
const LAST = Temporal.PlainDateTime.from('9999-12-31T23:59:59');

/**
 * Reads the recurrence of a schedule that begins at this wall-clock time. Throws a RecurrenceError that names the part which is no RFC 5545,
 * is not supported, or for which it would come more often than a schedule may.
 */
export function parseRecurrence(text: string, start: Temporal.PlainDateTime, timeZone: string): Recurrence {
  const lines = text.split(/\r?\n/).filter((line) => line !== '');
  if (lines.some((line) => /^DTSTART[;:]/i.test(line))) throw new RecurrenceError('recurrence_start', {});
  const rules = lines.filter((line) => !/^(RDATE|EXDATE)[;:]/i.test(line));
  const [rule, ...others] = rules.map((line) =>
    line
      .replace(/^RRULE:/i, '')
      .trim()
      .toUpperCase(),
  );
  if (rule === undefined) throw new RecurrenceError('recurrence_incomplete', { part: 'RRULE' });
  if (others[0] !== undefined) throw misread(others[0]);
  const parts = parseParts(rule);
  const given = parts.get('UNTIL');
  const until = given === undefined ? undefined : readTime(given, timeZone, 'UNTIL');
  const end = until && earlier(lastWallTime(until), LAST);
  if (end) parts.set('UNTIL', `${compact(end)}Z`);
  const added = readTimes(lines, 'RDATE', timeZone);
  const recurrence: Recurrence = {
    rule: `RRULE:${[...parts].map((part) => part.join('=')).join(';')}`,
    end,
    until: until instanceof Temporal.ZonedDateTime ? until : undefined,
    counted: undefined,
    added: added.map((at) => (at instanceof Temporal.PlainDate ? at.toPlainDateTime(start.toPlainTime()) : at)),
    excluded: readTimes(lines, 'EXDATE', timeZone),
  };
  const opened = openRule(recurrence, start);
  if (!parts.has('COUNT')) return recurrence;
  const counted = countTimes(opened, start, `COUNT=${parts.get('COUNT')}`);
  return { ...recurrence, counted, end: counted.at(-1) ?? start };
}

/** Returns the times of a rule with `COUNT`. Throws for one whose last time is thousands of periods ahead. */
function countTimes(rule: RRuleTemporal, from: Temporal.PlainDateTime, part: string): Temporal.PlainDateTime[] {
  try {
    return listTimes(rule, { from, to: LAST });
  } catch {
    throw listTimes(rule, { from, to: from.add({ years: LONGEST_WAIT_YEARS }) }).length > 0
      ? unsupported(part)
      : neverComes();
  }
}

/** The last moment of a date, since the times of that day count. A clock change puts a time by a day at most. */
function lastWallTime(until: Time | Temporal.PlainDate): Temporal.PlainDateTime {
  if (until instanceof Temporal.PlainDate) return until.toPlainDateTime('23:59:59');
  return until instanceof Temporal.ZonedDateTime ? until.toPlainDateTime().add({ days: 1 }) : until;
}

function parseParts(rule: string): Map<string, string> {
  const parts = new Map<string, string>();
  for (const part of rule.split(';')) {
    const [name = '', value = '', more] = part.split('=');
    if (name === 'FREQ' && /^(SECONDLY|MINUTELY)$/.test(value))
      throw new RecurrenceError('recurrence_frequency', { part });
    if (name === 'BYSECOND') throw unsupported(part);
    if (parts.has(name) || more !== undefined || !Object.hasOwn(PARTS, name) || !PARTS[name]?.test(value))
      throw misread(part || ';');
    const limit = LIMITS[name];
    if (limit !== undefined && Number(value) > limit) throw overLimit(part, limit);
    parts.set(name, value);
  }
  if (!parts.has('FREQ')) throw new RecurrenceError('recurrence_incomplete', { part: 'FREQ' });
  const written = (...names: string[]) => names.map((name) => `${name}=${parts.get(name)}`).join(';');
  if (parts.has('COUNT') && parts.has('UNTIL')) throw misread(written('COUNT', 'UNTIL'));
  if (parts.get('FREQ') === 'YEARLY') {
    const clash = CLASHES.find((names) => names.every((name) => parts.has(name)));
    if (clash) throw unsupported(written(...clash));
    const days = parts.get('BYDAY') ?? '';
    if (/\d/.test(days) && parts.has('BYMONTHDAY')) throw unsupported(written('BYDAY', 'BYMONTHDAY'));
    if (/53/.test(days) && !parts.has('BYMONTH')) throw unsupported(written('BYDAY'));
  }
  requireFew(parts);
  return parts;
}

/** Before anything is listed: a rule of each minute would be half a million times a year. */
function requireFew(parts: ReadonlyMap<string, string>): void {
  const many = (name: string) => parts.get(name)?.split(',').length;
  const isHourly = parts.get('FREQ') === 'HOURLY';
  const hours = many('BYHOUR') ?? (isHourly ? Math.ceil(RUNS_A_DAY_LIMIT / Number(parts.get('INTERVAL') ?? 1)) : 1);
  const minutes = many('BYMINUTE') ?? 1;
  if (hours * minutes <= RUNS_A_DAY_LIMIT) return;
  const part = minutes > 1 ? `BYMINUTE=${parts.get('BYMINUTE')}` : `BYHOUR=${parts.get('BYHOUR')}`;
  throw new RecurrenceError('recurrence_too_often', { part, limit: RUNS_A_DAY_LIMIT });
}

/** Returns the values of the lines with this name. */
function readTimes(lines: readonly string[], name: 'RDATE' | 'EXDATE', ownZone: string) {
  const times = lines.flatMap((line) => {
    const [, params = '', values = ''] = new RegExp(`^${name}((?:;[^:]*)?):(.*)$`, 'i').exec(line) ?? [];
    const zone = /^;TZID=([^;]+)$/i.exec(params.replace(/;VALUE=DATE(-TIME)?(?=;|$)/i, ''))?.[1];
    if (values === '') return [];
    if (/;VALUE=PERIOD/i.test(params)) throw unsupported(name + params);
    if (zone === undefined && !/^(;VALUE=DATE(-TIME)?)?$/i.test(params)) throw misread(name + params);
    if (zone !== undefined && !isTimeZone(zone)) throw new RecurrenceError('recurrence_zone', { part: shorten(zone) });
    return values.split(',').map((value) => readTime(value.trim().toUpperCase(), ownZone, name, zone));
  });
  if (times.length > TIMES_LIMIT) throw overLimit(`${name} (${times.length})`, TIMES_LIMIT);
  return times;
}

/** Reads a DATE or DATE-TIME. */
function readTime(value: string, ownZone: string, name: string, zone = ownZone): Time | Temporal.PlainDate {
  const [, date = '', time, isUtc] = /^(\d{8})(?:T(\d{6})(Z?))?$/.exec(value) ?? [];
  try {
    if (time === undefined) return Temporal.PlainDate.from(date, { overflow: 'reject' });
    const wall = Temporal.PlainDateTime.from(`${date}T${time}`, { overflow: 'reject' });
    if (!isUtc && zone === ownZone) return wall;
    return wall.toZonedDateTime(isUtc ? 'UTC' : zone).withTimeZone(ownZone);
  } catch {
    throw misread(`${name}${name === 'UNTIL' ? '=' : ':'}${value}`);
  }
}

/** Evaluated in UTC, which has no clock changes: the wall clock alone counts. */
function openRule({ rule }: Pick<Recurrence, 'rule'>, start: Temporal.PlainDateTime): RRuleTemporal {
  try {
    const dtstart = start.toZonedDateTime('UTC');
    return new RRuleTemporal({
      rruleString: rule,
      dtstart,
      tzid: 'UTC',
      strict: true,
      maxIterations: ITERATIONS_LIMIT,
    });
  } catch (error) {
    // Parts that must not be together, and it names the first.
    const { message } = error instanceof Error ? error : new Error();
    const named = /\b(BY[A-Z]+|[A-Z]{4,})\b/.exec(message)?.[0] ?? 'FREQ';
    throw misread(rule.split(/[:;]/).find((part) => part.startsWith(`${named}=`)) ?? named);
  }
}

interface WallSpan {
  from: Temporal.PlainDateTime;
  to: Temporal.PlainDateTime;
}

function listTimes(rule: RRuleTemporal, { from, to }: WallSpan): Temporal.PlainDateTime[] {
  try {
    const times = rule.between(from.toZonedDateTime('UTC'), to.toZonedDateTime('UTC'), true);
    return times.map((at) => Temporal.PlainDateTime.from(at.toPlainDateTime().toString()));
  } catch {
    // It has looked at as many periods as it may.
    throw neverComes();
  }
}

/** Returns the times between two, both included. */
export function expandRecurrence(recurrence: Recurrence, start: Temporal.PlainDateTime, span: WallSpan): Time[] {
  const { until, counted, added } = recurrence;
  const isWithin = (at: Time) =>
    Temporal.PlainDateTime.compare(at, span.from) >= 0 && Temporal.PlainDateTime.compare(at, span.to) <= 0;
  const times = counted?.filter(isWithin) ?? listTimes(openRule(recurrence, start), span);
  const isOver = (at: Temporal.PlainDateTime) =>
    until !== undefined && at.toZonedDateTime(until.timeZoneId).epochMilliseconds > until.epochMilliseconds;
  return [...times.filter((at) => !isOver(at)), ...added.filter(isWithin)];
}

/** Adds an `EXDATE`, and drops those that are older than `keptFrom`. */
export function excludeTime(text: string, at: Temporal.PlainDateTime, keptFrom: Temporal.PlainDate): string {
  const oldest = keptFrom.toString().replaceAll('-', '');
  const kept = text.split('\n').flatMap((line) => {
    const [head = '', values = ''] = line.split(':', 2);
    if (!/^EXDATE/i.test(head)) return [line];
    const left = values.split(',').filter((value) => value.slice(0, 8) >= oldest);
    return left.length > 0 ? [`${head}:${left.join(',')}`] : [];
  });
  return [...kept, `EXDATE:${compact(at)}`].join('\n');
}

/** Returns how many dates and times are `EXDATE`s. */
export function countExcluded(text: string): number {
  const lines = text.split('\n').filter((line) => /^EXDATE/i.test(line));
  return lines.flatMap((line) => line.split(',')).length;
}

/** Moves each date of a recurrence by whole weeks of the wall clock in the schedule's own zone, so that it stays beside the times of the rule. */
export function moveRecurrence(text: string, weeks: number, timeZone: string): string {
  const moveLine = (line: string) => {
    const zone = /;TZID=([^;:]+)/i.exec(line)?.[1] ?? timeZone;
    return line.replaceAll(/(?<!\d)\d{8}(T\d{6}Z?)?(?!\d)/gi, (value) => {
      const at = readTime(value.toUpperCase(), timeZone, '', zone);
      if (!(at instanceof Temporal.ZonedDateTime)) return compact(at.add({ weeks }));
      const isUtc = /Z$/i.test(value);
      const moved = at.toPlainDateTime().add({ weeks }).toZonedDateTime(timeZone);
      return compact(moved.withTimeZone(isUtc ? 'UTC' : zone).toPlainDateTime()) + (isUtc ? 'Z' : '');
    });
  };
  return text.split('\n').map(moveLine).join('\n');
}

/**
 * Moves each `EXDATE` of the schedule's own zone with the times of day of the rule, `HH:MM:SS` before and after: a run that was skipped stays
 * skipped.
 */
export function moveExcluded(text: string, before: string, after: string): string {
  const isHourOfRule = /\bBYHOUR=|\bFREQ=HOURLY\b/i.test(text);
  const isMinuteOfRule = /\bBYMINUTE=/i.test(text);
  const [[hourBefore, minuteBefore], [hourAfter, minuteAfter, second]] = [before.split(':'), after.split(':')];
  const moveTime = (value: string, date: string, hour: string, minute: string) =>
    (isHourOfRule || hour === hourBefore) && (isMinuteOfRule || minute === minuteBefore)
      ? `${date}T${isHourOfRule ? hour : hourAfter}${isMinuteOfRule ? minute : minuteAfter}${second}`
      : value;
  const moveLine = (line: string) =>
    /^EXDATE(;VALUE=DATE-TIME)?:/i.test(line)
      ? line.replaceAll(/(?<!\d)(\d{8})T(\d{2})(\d{2})\d{2}(?![\dZ])/gi, moveTime)
      : line;
  return text.split('\n').map(moveLine).join('\n');
}

const compact = (at: Temporal.PlainDateTime | Temporal.PlainDate) =>
  at.toString({ smallestUnit: 'second' }).replaceAll(/[-:]/g, '');
const earlier = (one: Temporal.PlainDateTime, other: Temporal.PlainDateTime) =>
  Temporal.PlainDateTime.compare(one, other) < 0 ? one : other;
const neverComes = () => new RecurrenceError('recurrence_never', { years: LONGEST_WAIT_YEARS });
const shorten = (part: string) => part.slice(0, 60);
const misread = (part: string) => new RecurrenceError('recurrence', { part: shorten(part) });
const unsupported = (part: string) => new RecurrenceError('recurrence_unsupported', { part: shorten(part) });
const overLimit = (part: string, limit: number) =>
  new RecurrenceError('recurrence_over_limit', { part: shorten(part), limit });
