/** Calendar days as `YYYY-MM-DD`, counted in UTC so that no clock change shifts them. */

const DAY_MS = 24 * 60 * 60 * 1_000;

const instantOf = (date: string) => Date.parse(`${date}T00:00:00Z`);
const dateOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);

/** Returns whether it is a valid date; the URL may hold anything. */
export function isDay(text: string): text is string {
  return /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(instantOf(text)) && dateOf(instantOf(text)) === text;
}

export type View = 'month' | 'week';

export function addDays(date: string, days: number): string {
  return dateOf(instantOf(date) + days * DAY_MS);
}

/** The same day of another month, or that month's last day. */
export function addMonths(date: string, months: number): string {
  const [year = 0, month = 1, day = 1] = date.split('-').map(Number);
  const last = new Date(Date.UTC(year, month - 1 + months + 1, 0)).getUTCDate();
  return dateOf(Date.UTC(year, month - 1 + months, Math.min(day, last)));
}

const WEEKS = { month: 5, week: 1 } as const satisfies Readonly<Record<View, number>>;

/** The days shown from the week of `date` on: whole weeks from Monday. What is to come counts more than the month it is in. */
export function daysOfView(view: View, date: string): string[] {
  return Array.from({ length: 7 * WEEKS[view] }, (_, index) => addDays(mondayOf(date), index));
}

function mondayOf(date: string): string {
  const weekday = (new Date(instantOf(date)).getUTCDay() + 6) % 7;
  return addDays(date, -weekday);
}
