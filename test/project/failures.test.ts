/** Failures of posts are told by their codes: each has words and an advice in every language, and nothing reads their sentences. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parametersOf } from '../../scripts/write-message-types.ts';
import {
  ADVICE,
  describeFailure,
  FAILURES,
  SKIPPED_CODES,
  storeFailure,
  toChangeFailure,
  toOutcomeUnknown,
  type FailureCode,
} from '../../src/platform/errors/failures.ts';
import { LANGUAGE_TAGS } from '../../src/platform/i18n/languages.ts';
import { readCatalog, translatorFor } from '../../src/platform/i18n/load-messages.ts';
import { translateFailure } from '../../src/platform/i18n/translate-failure.ts';

const root = join(import.meta.dirname, '../..');
const CODES = Object.keys(FAILURES) as FailureCode[];
const namesIn = (sentence: string) => Array.from(sentence.matchAll(/\{(\w+)\}/g), ([, name = '']) => name);

const read = (pattern: string[], exclude: string[]) =>
  globSync(pattern, { cwd: root, exclude: [...exclude, 'web/dist*/**'] }).map((file) => ({
    file,
    text: readFileSync(join(root, file), 'utf8'),
  }));
const MIGRATIONS = 'src/platform/database/migrations/**';
const SOURCES = read(['src/**/*.{ts,sql}', 'web/**/*.{ts,tsx}'], [MIGRATIONS]);

describe.each(LANGUAGE_TAGS)('%s', (language) => {
  const catalog = readCatalog(language);

  test('has words for every code, and for every advice', () => {
    const keys = [
      ...CODES.map((code) => `failures.codes.${code}`),
      ...Object.keys(ADVICE).map((advice) => `failures.advice.${advice}`),
    ];
    expect(keys.filter((key) => (catalog[key] ?? '').trim() === '')).toEqual([]);
    const codes = Object.keys(catalog).filter((key) => key.startsWith('failures.codes.'));
    expect(codes.toSorted()).toEqual(CODES.map((code) => `failures.codes.${code}`).toSorted());
  });

  test('needs no parameter that a code does not have', () => {
    const missing = CODES.filter((code) =>
      [...parametersOf(catalog[`failures.codes.${code}`] ?? '').keys()].some(
        (name) => !namesIn(FAILURES[code][2]).includes(name),
      ),
    );
    expect(missing).toEqual([]);
  });
});

test('a post that may have arrived is only to be sent again after a look into the group', () => {
  const others = CODES.filter((code) => (FAILURES[code][0] === 'unknown') !== (FAILURES[code][1] === 'check_group'));
  expect(others).toEqual([]);
  expect(ADVICE.check_group).toMatch(/may have arrived.*before you send it again/);
});

test('of a post that was sent no advice sends it again', () => {
  const others = new Set(CODES.filter((code) => FAILURES[code][0] !== 'sent').map((code) => FAILURES[code][1]));
  const shared = CODES.filter((code) => FAILURES[code][0] === 'sent' && others.has(FAILURES[code][1]));
  expect([...new Set(shared.map((code) => FAILURES[code][1]))].toSorted()).toEqual(['ask_admin', 'nothing']);
  const advices = CODES.filter((code) => FAILURES[code][0] === 'sent').map((code) => ADVICE[FAILURES[code][1]]);
  expect(advices.filter((advice) => /send (the post|it) again/i.test(advice))).toEqual([]);
});

test('a change that was refused as a post is keeps the reason, and has an advice of its own', () => {
  const refused = describeFailure('refused_for_now', { code: 479 });
  expect(toChangeFailure(refused)).toEqual({
    reason: refused.reason,
    code: 'change_refused',
    params: { cause: 'refused_for_now', code: 479 },
  });
  expect(toChangeFailure(toOutcomeUnknown(refused))).toEqual({
    reason: `It is unknown whether the change has arrived: ${refused.reason}`,
    code: 'change_unknown',
    params: { cause: 'refused_for_now', code: 479 },
  });
  expect(toChangeFailure(describeFailure('pin_by_admins'))).toMatchObject({ code: 'pin_by_admins' });
  const { code, params } = toChangeFailure({ reason: 'no such thing' });
  expect([code, params]).toEqual(['change_refused', { cause: 'other', text: 'no such thing' }]);
  const { what, advice } = translateFailure(translatorFor('de'), 'change_refused', { cause: 'group_gone' });
  expect([what, advice]).toEqual([
    'Es gibt sie nicht mehr, oder Sie sind nicht mehr Mitglied.',
    'Versuchen Sie es erneut, wenn es noch wichtig ist.',
  ]);
});

test('a failure is kept as a value that the database takes, whatever its text', () => {
  expect(JSON.parse(storeFailure({ reason: 'cut \ud83d' }))).toEqual({
    error: 'cut \ufffd',
    code: 'other',
    params: null,
  });
});

test('the cause of an unknown outcome is worded within it', () => {
  const { reason, code, params } = toOutcomeUnknown(describeFailure('refused_for_now', { code: 479 }));
  expect([reason, code, params]).toEqual([
    'outcome_unknown: WhatsApp refused this for the moment (479)',
    'outcome_unknown',
    { cause: 'refused_for_now', code: 479 },
  ]);
  const german = translateFailure(translatorFor('de'), 'outcome_unknown', params ?? {});
  expect(german.what).toBe(
    'Es ist unbekannt, ob der Beitrag angekommen ist: WhatsApp hat den Beitrag vorerst abgelehnt (479).',
  );
  expect(german.advice).toMatch(/^Der Beitrag ist vielleicht angekommen/);
});

test('a reason without a code keeps its words, in full where they are the sentence', () => {
  const text = `${'x'.repeat(199)}\u{1F600}${'y'.repeat(5_000)}`;
  const { reason, params } = toOutcomeUnknown({ reason: text });
  expect(reason).toBe(`outcome_unknown: ${text}`);
  expect(params).toEqual({ cause: 'other', text: `${'x'.repeat(199)}\uFFFD` });
});

test('every code is used', () => {
  const text = SOURCES.filter(({ file }) => file !== 'src/platform/errors/failures.ts')
    .map((one) => one.text)
    .join('\n');
  const made = new Set(['other', 'change_unknown', 'change_refused']);
  expect(CODES.filter((code) => !made.has(code) && !text.includes(`'${code}'`))).toEqual([]);
});

test('the sums of a run count the codes of posts that were left out', () => {
  const recount = SOURCES.find(({ file }) => file.endsWith('recount_run.sql'));
  expect(recount?.text).toContain(`error_code in (${SKIPPED_CODES.map((code) => `'${code}'`).join(', ')})`);
});

describe('no sentence is read', () => {
  const sentence = String.raw`(?:error|last_error|lastError)`;
  const PARSING = [
    // A method of a text, or a regular expression.
    new RegExp(
      String.raw`\b${sentence}\b\)?[!?]?\.(?:startsWith|endsWith|includes|indexOf|match|matchAll|search|replace|replaceAll|slice|split|substring)\(`,
    ),
    new RegExp(String.raw`/[a-z]*\.(?:test|exec)\((?:\w+\??\.)*${sentence}\b(?!\.)`),
    // In SQL; `left` shortens what a webhook is told.
    /\berror (?:not )?(?:like|ilike|similar to|~)/,
    /\b(?:starts_with|strpos|position|regexp_\w+|split_part|substr|substring)\(\w*\.?error\b/,
    // The words by which sentences were told before there were codes.
    /['"`/^]outcome\\?_unknown(?:%|\\b|: )/,
    /['"`]skipped: /,
    /\/\^?(?:expired|skipped)\b/,
  ];

  test('in src and web', () => {
    const found = SOURCES.filter(({ file }) => file !== 'src/platform/errors/failures.ts').flatMap(({ file, text }) =>
      text
        .split('\n')
        .filter((line) => PARSING.some((pattern) => pattern.test(line)))
        .map((line) => `${file}: ${line.trim()}`),
    );
    expect(found).toEqual([]);
  });

  test('not even a part of one in the dashboard or in SQL', () => {
    const parts = CODES.flatMap((code) => FAILURES[code][2].split(/\{\w+\}/))
      .map((part) => part.trim())
      .filter((part) => part.length > 10);
    const found = SOURCES.filter(({ file }) => file.startsWith('web/') || file.endsWith('.sql')).flatMap(
      ({ file, text }) => parts.filter((part) => text.includes(part)).map((part) => `${file}: ${part}`),
    );
    expect(found).toEqual([]);
  });

  test.each([
    "if (delivery.error?.startsWith('outcome_unknown')) return;",
    "where d.error like 'outcome_unknown%'",
    "count(*) filter (where starts_with(error, 'x'))",
    'REASONS.find((pattern) => /gone/i.test(group.last_error));',
    "lastError!.replace(/^outcome_unknown: /, '')",
    '  { pattern: /^expired/i, key: 1 },',
  ])('as in %s', (line) => {
    expect(PARSING.some((pattern) => pattern.test(line))).toBe(true);
  });
});
