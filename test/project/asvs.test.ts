import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { PAGE, readAnswers, readRequirements, splitPlace, writePage, type Answer } from '../../scripts/write-asvs.ts';

const root = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const requirements = readRequirements();
const answers = readAnswers();

/** Returns the places that an answer names, except headings of pages: docs.test.ts checks every link. */
function placesOf(answer: Answer): string[] {
  if ('met' in answer) return answer.met;
  return 'not_met' in answer ? (answer.so_far ?? []) : [];
}

/** Returns whether the named test, symbol, environment variable or setting exists. */
function isThere(place: string): boolean {
  const { path, name } = splitPlace(place);
  if (!existsSync(join(root, path))) return false;
  if (name === undefined) return true;
  const source = read(path);
  if (path.endsWith('.test.ts')) {
    const quoted = ["'", '"', '`'].map((quote) => `(${quote}${name}${quote}`);
    return quoted.some((title) => source.replaceAll("\\'", "'").includes(title));
  }
  const escaped = RegExp.escape(name);
  return new RegExp(
    String.raw`(?:\b(?:function|const|class|interface|type|create table|constraint)\s+${escaped}\b|^\s*(?:async )?${escaped}\??[:(]|"${escaped}":|['"\`]${escaped}['"\`])`,
    'm',
  ).test(source);
}

describe('the answers to the standard', () => {
  test('cover exactly the 253 requirements of Level 1 and 2', () => {
    expect(requirements).toHaveLength(253);
    expect(Object.keys(answers)).toEqual(requirements.map((one) => one.req_id));
  });

  test('name existing tests and symbols', () => {
    const named = Object.entries(answers).flatMap(([id, answer]) =>
      placesOf(answer).map((place) => [id, place] as const),
    );
    expect(named.length).toBeGreaterThan(100);
    expect(named.filter(([, place]) => !isThere(place))).toEqual([]);
  });

  test.each([
    'test/api/server/session.slow.test.ts: no such test',
    'test/http/gone.test.ts: signing in',
    'src/identity/passwords/password.ts:hashNothing',
    'src/users/gone.ts:hashPassword',
  ])('would fail with %s', (place) => {
    expect(isThere(place)).toBe(false);
  });

  test('are complete, and none is only planned', () => {
    expect(Object.keys(answers).filter((id) => 'planned' in (answers[id] ?? {}))).toEqual([]);
  });

  test('are current on the page: npm run docs', () => {
    expect(read(PAGE)).toBe(writePage(requirements, answers));
  });
});
