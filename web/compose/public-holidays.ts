import { browserNameOf } from '../format/supported-zone.ts';
import { locale } from '../i18n/translate.ts';

/** The dates (`YYYY-MM-DD`) of each public holiday of a country, by its name there. */
export type Holidays = Readonly<Record<string, readonly string[]>>;

/** Returns the nationwide public holidays by country (ISO 3166). A file of its own, since few need it. */
export async function loadHolidays(): Promise<Readonly<Record<string, Holidays>>> {
  const { default: file } = await import('./public-holidays.json');
  return file.countries as unknown as Record<string, Holidays>;
}

/** Returns the holidays that fall on one of the days, by date. */
export function listHolidays(holidays: Holidays, days: readonly string[]): Array<{ date: string; name: string }> {
  const wanted = new Set(days);
  return Object.entries(holidays)
    .flatMap(([name, dates]) => dates.filter((date) => wanted.has(date)).map((date) => ({ date, name })))
    .toSorted((one, other) => one.date.localeCompare(other.date));
}

/** Returns the choices of a country, sorted by name. */
export function countryChoices(codes: readonly string[]): Array<{ value: string; label: string }> {
  const names = new Intl.DisplayNames(locale, { type: 'region' });
  return codes
    .map((value) => ({ value, label: names.of(value) ?? value }))
    .toSorted((one, other) => one.label.localeCompare(other.label, locale));
}

/** Returns the one of the countries that the zone is in; null if this browser does not know. */
export function countryOfZone(zone: string, codes: readonly string[]): string | null {
  const name = browserNameOf(zone);
  const isIn = (region: string) => {
    const locale = new Intl.Locale('und', { region }) as Intl.Locale & { getTimeZones?: () => string[] | undefined };
    return (locale.getTimeZones?.() ?? []).some((one) => browserNameOf(one) === name);
  };
  return codes.find(isIn) ?? null;
}
