import compile from 'icu-minify/compile';
import { expect, test } from 'vitest';
import { knownLanguage, matchLanguage, negotiateLanguage } from '../../../src/platform/i18n/languages.ts';
import { readCatalog, translatorFor } from '../../../src/platform/i18n/load-messages.ts';
import { createTranslator } from '../../../src/platform/i18n/translator.ts';

test.each([
  [['pt-PT', 'en'], 'pt-BR'],
  [['fr-FR', 'PT-br', 'en'], 'pt-BR'],
  [['en-US', 'pt'], 'en'],
  [['fr', 'nl'], undefined],
  [[], undefined],
])('matches %j to %s', (tags, language) => {
  expect(matchLanguage(tags)).toBe(language);
});

test.each([
  ['de-AT,de;q=0.9,en;q=0.8', 'de'],
  ['en;q=0.3, hi;q=0.7', 'hi'],
  ['fr, *;q=0.5', undefined],
  ['es;q=0, id', 'id'],
  ['de;q=x, en', 'en'],
  ['', undefined],
  [undefined, undefined],
  [`${'x'.repeat(600)},de`, undefined],
])('negotiates %s to %s', (header, language) => {
  expect(negotiateLanguage(header)).toBe(language);
});

test('falls back to English for a stored language without a catalog', () => {
  expect([knownLanguage('de'), knownLanguage('fr'), knownLanguage(null)]).toEqual(['de', 'en', 'en']);
});

test('formats plurals by the rules of each language', () => {
  const groups = (language: Parameters<typeof translatorFor>[0]) =>
    [0, 1, 1_234].map((count) => translatorFor(language)('campaigns.groups', { groups: count }));
  expect(groups('en')).toEqual(['0 groups', '1 group', '1,234 groups']);
  expect(groups('de')).toEqual(['0 Gruppen', '1 Gruppe', '1.234 Gruppen']);
  expect(groups('pt-BR')).toEqual(['0 grupo', '1 grupo', '1.234 grupos']);
  expect(groups('id')).toEqual(['0 grup', '1 grup', '1.234 grup']);
});

test('writes numbers as in the region of the reader', () => {
  const english = readCatalog('en');
  const translate = createTranslator('en', (key) => compile(english[key] ?? ''), 'en-IN');
  expect(translate('campaigns.groups', { groups: 123_456 })).toBe('1,23,456 groups');
});
