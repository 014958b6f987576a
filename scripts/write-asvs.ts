/** Writes docs/reference/asvs.md from the standard's own list and our answers: `npm run docs`. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import papaparse from 'papaparse';
import { z } from 'zod';

const root = join(import.meta.dirname, '..');
export const PAGE = 'docs/reference/asvs.md';
const STANDARD = 'docs/reference/asvs/asvs-5.0.0.csv';
const ANSWERS = 'docs/reference/asvs/answers.json';

/** A row of the standard, under the names of its columns. */
interface Requirement {
  chapter_id: string;
  chapter_name: string;
  section_id: string;
  section_name: string;
  req_id: string;
  req_description: string;
  L: string;
}

/**
 * One answer to one requirement. Each place of `met` is `src/a/b.ts:symbol`, `test/a/b.test.ts: name of a test` or
 * `docs/page.md#heading`; a `note` says what is not plain from them. The others are a sentence each: why it does not apply, what
 * is missing, what is being built.
 */
export type Answer = z.output<typeof answer>;
const sentence = z.string().min(5);
const answer = z.union([
  z.strictObject({ met: z.array(z.string()).min(1), note: sentence.optional() }),
  z.strictObject({ not_applicable: sentence }),
  z.strictObject({ not_met: sentence, so_far: z.array(z.string()).optional() }),
  z.strictObject({ planned: sentence }),
]);

/** The requirements of Level 1 and 2, in the order of the standard. */
export function readRequirements(): Requirement[] {
  const { data } = papaparse.parse<Requirement>(readFileSync(join(root, STANDARD), 'utf8'), {
    header: true,
    skipEmptyLines: true,
  });
  return data.filter(({ L }) => L === '1' || L === '2');
}

/** Our answers by the requirement's id, such as `V1.1.1`. Throws where one is no answer. */
export function readAnswers(): Record<string, Answer> {
  return z.record(z.string(), answer).parse(JSON.parse(readFileSync(join(root, ANSWERS), 'utf8')));
}

/** The page as it has to be. A requirement without an answer says so. */
export function writePage(requirements: readonly Requirement[], answers: Readonly<Record<string, Answer>>): string {
  const chapters = Map.groupBy(requirements, (one) => `## ${one.chapter_id} ${one.chapter_name}`);
  const parts = [...chapters].flatMap(([heading, rows]) => [
    heading,
    ['| requirement | level | what it asks | answer |', '| --- | --- | --- | --- |', ...rows.map(rowOf)].join('\n'),
  ]);
  return `${[HEAD, countsOf(requirements, answers), ...parts].join('\n\n')}\n`;

  function rowOf({ req_id: id, L: level, req_description: text }: Requirement): string {
    const cells = [id.slice(1), level, text, sayAnswer(answers[id])];
    return `| ${cells.map((cell) => cell.replaceAll(/\s+/g, ' ').replaceAll('|', String.raw`\|`)).join(' | ')} |`;
  }
}

const HEAD = `# ASVS: what is asked of a safe application, and what answers it

The [OWASP Application Security Verification Standard](https://github.com/OWASP/ASVS/tree/v5.0.0_release) 5.0.0 lists what to verify in an application. This page answers each requirement of its Levels 1 and 2: **met**, by the tests and the lines of code that show it; **not applicable**, with the reason; or **not met**, with what is missing. It is our own judgement, made by reading the code, and nobody else has verified it. It is about Campanile itself: what the operator's proxy, host and database have to do is said where a requirement is about them.

\`npm run docs\` makes this page of [the standard's own list](asvs/asvs-5.0.0.csv) and [our answers](asvs/answers.json). [A test](../../test/project/asvs.test.ts) fails when a test or a symbol that is named here is gone, when an answer is missing, and when this page is older than they are.

The requirements are quoted from the standard, © The OWASP Foundation, under [CC BY-SA 4.0](https://creativecommons.org/licenses/by-sa/4.0/), and so is this page.

## Counts`;

const STATES = ['met', 'not_applicable', 'not_met', 'planned'] as const;
type State = (typeof STATES)[number];
const NAMES: Readonly<Record<State, string>> = {
  met: 'met',
  not_applicable: 'not applicable',
  not_met: 'not met',
  planned: 'planned',
};

function stateOf(one: Answer | undefined): State | undefined {
  return one && STATES.find((state) => state in one);
}

function countsOf(requirements: readonly Requirement[], answers: Readonly<Record<string, Answer>>): string {
  const count = (level: string, state: State) =>
    requirements.filter(({ L, req_id: id }) => L === level && stateOf(answers[id]) === state).length;
  const shown = STATES.filter((state) => state !== 'planned' || count('1', state) + count('2', state) > 0);
  const rows = shown.map((state) => {
    const [first, second] = [count('1', state), count('2', state)];
    return `| ${NAMES[state]} | ${first} | ${second} | ${first + second} |`;
  });
  return ['| | Level 1 | Level 2 | together |', '| --- | --- | --- | --- |', ...rows].join('\n');
}

function sayAnswer(one: Answer | undefined): string {
  if (!one) return '**No answer**';
  if ('met' in one) return withPlaces(`**Met**${one.note === undefined ? '' : `: ${one.note}`}`, one.met);
  if ('not_met' in one) return withPlaces(`**Not met**: ${one.not_met}`, one.so_far ?? []);
  if ('planned' in one) return `**Planned**: ${one.planned}`;
  return `**Not applicable**: ${one.not_applicable}`;
}

function withPlaces(text: string, places: readonly string[]): string {
  return [text, ...places.map(linkTo)].join('<br>');
}

function linkTo(place: string): string {
  const { path, heading, name } = splitPlace(place);
  if (heading !== undefined) return `[${path} § ${heading.replaceAll('-', ' ')}](../../${path}#${heading})`;
  const link = `[${path}](../../${path})`;
  if (name === undefined) return link;
  return path.endsWith('.test.ts') ? `${link}: “${name}”` : `${link}: \`${name}\``;
}

/** The parts of a place: a path, and a heading of a page, or the name of a symbol or a test in it. */
export function splitPlace(place: string): { path: string; heading?: string; name?: string } {
  const [, path = '', sign, rest = ''] = /^([^:#]+)(?:(#|: ?)(.+))?$/.exec(place) ?? [];
  if (sign === undefined) return { path };
  return sign === '#' ? { path, heading: rest } : { path, name: rest };
}

if (import.meta.main) writeFileSync(join(root, PAGE), writePage(readRequirements(), readAnswers()));
