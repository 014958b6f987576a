/**
 * Writes web/compose/public-holidays.json, the public holidays that the dashboard suggests, for this year and the next six. The package with
 * the rules is large, and only this needs it: `npm install --no-save date-holidays && node scripts/write-public-holidays.ts`.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

const YEARS = 7;
const DAY_MS = 24 * 60 * 60 * 1_000;
const PACKAGE = 'date-holidays';

/** The part of the package that is used here. */
interface Rules {
  getCountries(language: string): Record<string, string>;
  getHolidays(year: number): Array<{ date: string; start: Date; end: Date; name: string; type: string }>;
}

const { default: Holidays } = (await import(PACKAGE)) as {
  default: new (country?: string, options?: { types: string[] }) => Rules;
};

const first = new Date().getUTCFullYear();
const years = Array.from({ length: YEARS }, (_, index) => first + index);
const countries = Object.keys(new Holidays().getCountries('en')).map((code) => {
  const rules = new Holidays(code, { types: ['public'] });
  const dates = new Map<string, string[]>();
  for (const { name, date, start, end } of years.flatMap((year) => rules.getHolidays(year))) {
    const length = Math.max(1, Math.floor((end.getTime() - start.getTime()) / DAY_MS));
    const from = Date.parse(`${date.slice(0, 10)}T00:00:00Z`);
    const days = Array.from({ length }, (_, index) => new Date(from + index * DAY_MS).toISOString().slice(0, 10));
    dates.set(name, [...(dates.get(name) ?? []), ...days]);
  }
  return [code, Object.fromEntries(dates)] as const;
});
const lines = countries
  .filter(([, dates]) => Object.keys(dates).length > 0)
  .map(([code, dates]) => `    ${JSON.stringify(code)}: ${JSON.stringify(dates)}`);
writeFileSync(
  join(import.meta.dirname, '../web/compose/public-holidays.json'),
  `{
  "source": "https://github.com/commenthol/date-holidays, CC BY-SA 3.0",
  "lastYear": ${years.at(-1)},
  "countries": {
${lines.join(',\n')}
  }
}
`,
);
