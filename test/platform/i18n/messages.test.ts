/** The message catalogs: complete, in use, translated, with the same parameters, and with the plurals of each language. */
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import compile from 'icu-minify/compile';
import { describe, expect, test } from 'vitest';
import { messageTypes, parametersOf, TYPES_FILE } from '../../../scripts/write-message-types.ts';
import { LANGUAGE_TAGS, LANGUAGES } from '../../../src/platform/i18n/languages.ts';
import { readCatalog } from '../../../src/platform/i18n/load-messages.ts';
import { isSignInMessage } from '../../../web/compile-messages.ts';

const root = join(import.meta.dirname, '../../..');
const english = readCatalog('en');
const translated = LANGUAGE_TAGS.filter((language) => language !== 'en');

/** Names, units and international words that are the same in another language. */
const SAME_AS_ENGLISH: Readonly<Record<string, readonly string[]>> = JSON.parse(
  readFileSync(join(import.meta.dirname, 'same-as-english.json'), 'utf8'),
) as Record<string, string[]>;

/** Words of each language for which its glossary has another one: a term has one word on every page. */
const WORDS_NOT_TO_USE: Readonly<Record<string, readonly string[]>> = JSON.parse(
  readFileSync(join(import.meta.dirname, 'words-not-to-use.json'), 'utf8'),
) as Record<string, string[]>;

/** The message without the names of its parameters, which are English in every language. */
function wordsOf(message: string): string {
  return message.replaceAll(/\{\w+(?:, \w+,)?/g, '');
}

/** The categories of a language that counts up to 10,000 need. Beyond, `many` of Spanish and Portuguese is for whole millions. */
function categoriesOf(language: string): string[] {
  const rules = new Intl.PluralRules(language);
  return [...new Set(Array.from({ length: 10_001 }, (_, count) => rules.select(count)))].toSorted();
}

/** The cases of each plural of a message. */
function pluralsOf(message: string): string[][] {
  const found: string[][] = [];
  const visit = (node: unknown) => {
    if (!Array.isArray(node)) return;
    const [, type, options] = node as unknown[];
    if (type === 2) found.push(Object.keys(options as object));
    for (const part of typeof options === 'object' && options !== null ? Object.values(options) : node) visit(part);
  };
  visit(compile(message));
  return found;
}

function keysInSources(): RegExp[] {
  const files = globSync(['src/**/*.ts', 'web/**/*.{ts,tsx}'], { cwd: root, exclude: ['web/dist*/**'] });
  const sources = files.filter((file) => file !== TYPES_FILE).map((file) => readFileSync(join(root, file), 'utf8'));
  return keysIn(sources);
}

/** Keys as sources write them: quoted, or as a template, whose expressions stand for one part, and at the end for the rest. */
function keysIn(sources: readonly string[]): RegExp[] {
  const literals = sources.flatMap((source) => [
    ...source.matchAll(/'([\w-]+(?:\.[\w-]+)+)'|`((?:[\w.-]|\$\{[^}]*\})+)`/g),
  ]);
  const patterns = literals.map(([, quoted, template = '']) =>
    (quoted ?? template)
      .replaceAll('.', String.raw`\.`)
      .replace(/\$\{[^}]*\}$/, '.+')
      .replaceAll(/\$\{[^}]*\}/g, '[^.]+'),
  );
  return [...new Set(patterns)]
    .filter((pattern) => pattern.includes(String.raw`\.`))
    .map((one) => new RegExp(`^${one}$`));
}

test('every message is used', () => {
  const used = keysInSources();
  expect(Object.keys(english).filter((key) => !used.some((pattern) => pattern.test(key)))).toEqual([]);
});

/** The sources that a module of the dashboard loads at once, itself included; what it imports lazily is left out. */
function sourcesLoadedWith(file: string, found = new Map<string, string>()): Map<string, string> {
  if (found.has(file) || !/\.tsx?$/.test(file)) return found;
  const source = readFileSync(file, 'utf8');
  found.set(file, source);
  for (const [, path = ''] of source.matchAll(/^(?:import|export)(?! type)[^;]*? from '(\.[^']+)'/gms))
    sourcesLoadedWith(join(dirname(file), path), found);
  return found;
}

test('the sign-in form loads every message that it may show', () => {
  const sources = sourcesLoadedWith(join(root, 'web/start.tsx'));
  expect([...sources.keys()].map((file) => relative(root, file))).toContain('web/auth/sign-in.tsx');
  // A template that starts with an expression could mean any group.
  const keys = keysIn([...sources.values()]).filter(({ source }) => !source.startsWith('^[^.]+'));
  const shown = Object.keys(english).filter((key) => keys.some((pattern) => pattern.test(key)));
  expect(shown).toContain('signIn.submit');
  expect(shown.filter((key) => !isSignInMessage(key))).toEqual([]);
});

test('the types of the parameters are those of the catalog: npm run messages', () => {
  expect(readFileSync(join(root, TYPES_FILE), 'utf8')).toBe(messageTypes());
});

test('no English message is in the tone of machines', () => {
  const texts = Object.values(english);
  expect(texts.length).toBeGreaterThan(1_000);
  expect(texts.filter((text) => /\boops\b|error \d|invalid|undefined|null|please|!$/i.test(text))).toEqual([]);
});

describe.each(LANGUAGE_TAGS)('%s', (language) => {
  const catalog = readCatalog(language);

  test('has every message, and no text is empty or has space around it', () => {
    expect(Object.keys(catalog)).toEqual(Object.keys(english));
    expect(Object.values(catalog).filter((text) => text === '' || text.trim() !== text)).toEqual([]);
  });

  test('uses the words of its glossary', () => {
    const words = WORDS_NOT_TO_USE[language] ?? [];
    expect(words.length).toBeGreaterThan(10);
    // Hindi joins vowel signs to its letters, which `\b` takes for the end of a word.
    const pattern = new RegExp(String.raw`(?<![\p{L}\p{M}])(?:${words.join('|')})(?![\p{L}\p{M}])`, 'iu');
    expect(Object.entries(catalog).filter(([, message]) => pattern.test(wordsOf(message)))).toEqual([]);
  });

  test('has the plural categories of its language in every plural', () => {
    const needed = categoriesOf(language);
    const wrong = Object.entries(catalog).filter(([, message]) =>
      pluralsOf(message).some((cases) => {
        const categories = cases.filter((one) => !one.startsWith('=')).toSorted();
        return categories.join(' ') !== needed.join(' ');
      }),
    );
    expect(wrong).toEqual([]);
  });

  test('has a locale that the platform knows', () => {
    const { locale } = LANGUAGES[language];
    expect(Intl.DateTimeFormat.supportedLocalesOf(locale)).toEqual([locale]);
  });
});

describe.each(translated)('%s beside English', (language) => {
  const catalog = readCatalog(language);

  test('has the same parameters', () => {
    const sorted = (message = '') => Object.fromEntries([...parametersOf(message)].toSorted());
    const other = Object.keys(english).filter(
      (key) => JSON.stringify(sorted(catalog[key])) !== JSON.stringify(sorted(english[key])),
    );
    expect(other).toEqual([]);
  });

  test('has no English left over', () => {
    const allowed = new Set([...(SAME_AS_ENGLISH['*'] ?? []), ...(SAME_AS_ENGLISH[language] ?? [])]);
    const same = Object.keys(english).filter((key) => catalog[key] === english[key]);
    expect(same.filter((key) => !allowed.has(key))).toEqual([]);
    expect([...(SAME_AS_ENGLISH[language] ?? [])].filter((key) => !same.includes(key))).toEqual([]);
  });
});

/** Words that would say again, in another way, what the dashboard has a word for; and in German the familiar form of address. */
const OTHER_WORDS = {
  en: /\b(?:everybody|somebody|nobody’s|films?|application|as many .* as you may)\b/i,
  de: /\b(?:Durchl[aä]uf\w*|Laufs?|Follower|Films?|Tondatei\w*|so viele .* wie|[Dd]u|[Dd]eine?[nmrs]?|[Dd]ich|[Dd]ir|Wähle|Gib)\b/,
  'pt-BR': /\b(?:da execução|execuções|programad\w*|programação)\b/i,
};

test.each(LANGUAGE_TAGS.filter((language) => language in OTHER_WORDS))('%s has one word for one thing', (language) => {
  const { [language]: others }: Partial<Record<typeof language, RegExp>> = OTHER_WORDS;
  const found = Object.entries(readCatalog(language)).filter(([, message]) => others?.test(message));
  expect(found).toEqual([]);
});
