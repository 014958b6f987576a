import { locale } from '../i18n/translate.ts';
import { browserNameOf } from './supported-zone.ts';

/** Browsers keep the former names of these cities. */
const CITIES_NOW: Readonly<Record<string, string>> = {
  'Africa/Asmera': 'Asmara',
  'America/Coral_Harbour': 'Atikokan',
  'America/Godthab': 'Nuuk',
  'Asia/Calcutta': 'Kolkata',
  'Asia/Katmandu': 'Kathmandu',
  'Asia/Rangoon': 'Yangon',
  'Asia/Saigon': 'Ho Chi Minh City',
  'Atlantic/Faeroe': 'Faroe',
  'Europe/Kiev': 'Kyiv',
  'Pacific/Enderbury': 'Kanton',
  'Pacific/Ponape': 'Pohnpei',
  'Pacific/Truk': 'Chuuk',
};
const LETTERS = Array.from({ length: 26 }, (_, index) => String.fromCodePoint('A'.charCodeAt(0) + index));

interface ZoneChoice {
  value: string;
  /** "New York, United States" */
  label: string;
}

let countries: ReadonlyMap<string, string> | undefined;

/** Returns the offered zones that this browser supports, by city and country, sorted by label. */
export function zoneChoices(offered: readonly string[]): ZoneChoice[] {
  // Computed once: it takes a tenth of a second.
  countries ??= countriesOfZones();
  const { compare } = new Intl.Collator(locale);
  return offered
    .flatMap((value) => {
      const name = browserNameOf(value);
      if (name === undefined) return [];
      const city = CITIES_NOW[value] ?? value.replace(/^.*\//, '').replaceAll('_', ' ');
      const country = countries?.get(name);
      return [{ value, label: country === undefined ? city : `${city}, ${country}` }];
    })
    .toSorted((one, other) => compare(one.label, other.label));
}

/** Returns the choice for the zone `chosen`, by any of its names; null if there is none. */
export function findChoice(choices: readonly ZoneChoice[], chosen: string): string | null {
  const own = browserNameOf(chosen);
  const same =
    choices.find(({ value }) => value === chosen) ?? choices.find(({ value }) => browserNameOf(value) === own);
  return same?.value ?? null;
}

/**
 * Returns the zones that have every word of the search in their city, country or id, ignoring accents. Matches of whole words come first.
 */
export function findZones<Choice extends ZoneChoice>(choices: readonly Choice[], search: string): Choice[] {
  const wanted = plain(search).split(' ');
  const known = choices.map((choice) => {
    const id = search.includes('/') ? choice.value : choice.value.replace(/^.*\//, '');
    return { choice, text: plain(`${choice.label} ${id}`) };
  });
  const found = known.filter(({ text }) => wanted.every((word) => text.includes(word)));
  const [whole = [], parts = []] = [true, false].map((isComplete) =>
    found.filter(({ text }) => wanted.every((word) => text.split(' ').includes(word)) === isComplete),
  );
  return [...whole, ...parts].map(({ choice }) => choice);
}

function plain(text: string): string {
  const normalized = text.normalize('NFD').replaceAll(/\p{Mark}/gu, '');
  return normalized
    .toLowerCase()
    .replaceAll(/[^\p{Letter}\p{Number}+-]+/gu, ' ')
    .trim();
}

/** Maps each zone to the name of its country. Empty in browsers that do not know it. */
function countriesOfZones(): ReadonlyMap<string, string> {
  const names = new Intl.DisplayNames(locale, { type: 'region', fallback: 'none' });
  const codes = LETTERS.flatMap((first) => LETTERS.map((second) => first + second));
  return new Map(
    codes.flatMap((region): [zone: string, country: string][] => {
      const country = isCurrentCountry(region) ? names.of(region) : undefined;
      if (country === undefined) return [];
      const locale = new Intl.Locale('und', { region }) as Intl.Locale & { getTimeZones?: () => string[] | undefined };
      return (locale.getTimeZones?.() ?? []).map((zone) => [zone, country]);
    }),
  );
}

/** Codes of former countries are valid, too. */
function isCurrentCountry(region: string): boolean {
  return Intl.getCanonicalLocales(`und-${region}`)[0] === `und-${region}`;
}
