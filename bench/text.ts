/**
 * HTML to text: our converter beside html-to-text on one corpus, and how its time grows with the worst HTML there is.
 *
 *   node bench/text.ts
 */
import { compile } from 'html-to-text';
import { count, type Row } from './support/table.ts';
import { convertHtml, HTML_LIMIT } from '../src/text/html-to-whatsapp.ts';
import { WORST_HTML } from '../test/support/worst-html.ts';

/** The ratio to reach. */
export const TEXT_REACH = 3;
/** What a document of the longest HTML may take, in milliseconds, on a machine that does nothing else. */
export const WORST_REACH_MS = 50;

const ROUNDS = 25;
const ROUND_MS = 40;
const KIB = 1_024;
const SIZES = [1, 4, 16, 64, 256].map((size) => size * KIB);
const TRIES = 15;

const theirConvert = compile({ wordwrap: false });

export interface TextBench {
  corpus: CorpusRow[];
  worst: WorstRow[];
}

/** Documents a second of processor time of both, and how many times as many ours does: the median over rounds. */
export interface CorpusRow {
  name: string;
  ours: number;
  theirs: number;
  ratio: number;
}

/** The shortest time for each of `SIZES`, in milliseconds, and html-to-text's for the longest; undefined when it gives up. */
export interface WorstRow {
  name: string;
  ms: number[];
  theirs: number | undefined;
}

export function benchText(): TextBench {
  return { corpus: benchCorpus(), worst: benchWorst() };
}

const CORPUS: Readonly<Record<string, string>> = {
  'a short note': '<p>We open at <b>nine</b> tomorrow. See you there!</p>',
  'plain text': 'We open at nine tomorrow, and there is coffee for everybody who comes early. '.repeat(8),
  'bold and italic':
    '<p>The <b>spring fair</b> is <i>open</i>: <strong>music</strong>, <em>food</em> and <b><i>dancing</i></b> until <b>late</b>.</p>'.repeat(
      4,
    ),
  links:
    '<p>Read the <a href="https://example.org/programme?day=1&amp;hall=2">programme</a>, buy <a href="https://example.org/tickets">tickets</a> or <a href="mailto:fair@example.org">write to us</a>.</p>'.repeat(
      4,
    ),
  lists: `<h2>Programme</h2><ul>${'<li>ten o’clock: music in the hall</li><li>eleven: <b>dancing</b></li>'.repeat(6)}</ul><ol>${'<li>bring a friend</li>'.repeat(6)}</ol>`,
  'an e-mail in other words':
    '<h1>Frühlingsmarkt</h1><p>Liebe Freunde,<br>wir öffnen um <b>neun</b>. &nbsp;Eintritt: 5&nbsp;&euro; &ndash; Kinder frei&hellip;</p><p>Mehr unter https://example.org/markt</p>'.repeat(
      3,
    ),
  'other scripts':
    '<p>春の市は<b>九時</b>に始まります。</p><p>يبدأ <b>السوق</b> في التاسعة</p><p>Ярмарка <i>открыта</i> 😀</p>'.repeat(
      4,
    ),
  'tags left open': '<p>one <b>two<p>three</b> four<ul><li>five<li>six <i>seven</ul>'.repeat(6),
};
const EVERYTHING = Object.values(CORPUS).join('');

function benchCorpus(): CorpusRow[] {
  const ourConvert = (html: string) => convertHtml(html).text;
  return Object.entries({ ...CORPUS, 'all of these': EVERYTHING, 'all, 20 times': EVERYTHING.repeat(20) }).map(
    ([name, html]) => {
      const rounds = Array.from({ length: ROUNDS }, () => ({
        ours: speedOf(ourConvert, html),
        theirs: speedOf(theirConvert, html),
      }));
      return {
        name,
        ours: median(rounds.map(({ ours }) => ours)),
        theirs: median(rounds.map(({ theirs }) => theirs)),
        ratio: median(rounds.map(({ ours, theirs }) => ours / theirs)),
      };
    },
  );
}

/** Documents a second of processor time, over one round. */
function speedOf(convert: (html: string) => string, html: string): number {
  const end = performance.now() + ROUND_MS;
  let count = 0;
  const spent = processorMs(() => {
    for (; performance.now() < end || count === 0; count++) convert(html);
  });
  return (count / spent) * 1_000;
}

/** With the time of threads that clear up memory; what else the machine does counts for little. */
function processorMs(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

function benchWorst(): WorstRow[] {
  for (const shape of Object.values(WORST_HTML)) for (let again = 0; again < 20; again++) convertHtml(shape(4 * KIB));
  const rows = Object.entries(WORST_HTML).map(([name, shape]) => ({
    name,
    ms: SIZES.map((size) => shortest(shape(Math.min(size, HTML_LIMIT)))),
    theirs: theirTime(shape(HTML_LIMIT)),
  }));
  return rows.sort((left, right) => (right.ms.at(-1) ?? 0) - (left.ms.at(-1) ?? 0));
}

/** How long who waits for it waits. */
function wallMs(work: () => void): number {
  const startedAt = performance.now();
  work();
  return performance.now() - startedAt;
}

/** Of several tries, since whatever else the machine does only makes them longer. */
function shortest(html: string): number {
  const times = Array.from({ length: TRIES }, () => wallMs(() => void convertHtml(html)));
  return Math.min(...times);
}

/** Deep nesting overflows their stack. */
function theirTime(html: string): number | undefined {
  try {
    return Math.min(...Array.from({ length: 2 }, () => wallMs(() => void theirConvert(html))));
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function median(values: number[]): number {
  return values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)] ?? Number.NaN;
}

export function printTextBench({ corpus, worst }: TextBench): void {
  console.log(`HTML to text, documents a second (reach: ${TEXT_REACH} times html-to-text)`);
  for (const { name, ours, theirs, ratio } of corpus) {
    const figures = [Math.round(ours), Math.round(theirs)].map((figure) => figure.toLocaleString('en').padStart(10));
    console.log(`  ${name.padEnd(44)}${figures.join('')}  ${ratio.toFixed(1).padStart(5)}×`);
  }
  const sizes = SIZES.map((size) => `${size / KIB} KiB`.padStart(10));
  console.log(`The worst HTML, milliseconds (reach: ${WORST_REACH_MS} at ${HTML_LIMIT / KIB} KiB)`);
  console.log(`  ${''.padEnd(48)}${sizes.join('')}  html-to-text`);
  for (const { name, ms, theirs } of worst) {
    const times = ms.map((time) => time.toFixed(2).padStart(10)).join('');
    console.log(`  ${name.padEnd(48)}${times}${(theirs?.toFixed(2) ?? 'gives up').padStart(14)}`);
  }
}

/** The same as lines of the table of all benches: each page, and the worst of the worst. */
export function textRows({ corpus, worst }: TextBench): Row[] {
  const pages = corpus.map(({ name, ours, theirs, ratio }) => ({
    what: `html to text, ${name}`,
    ours: `${count(ours)}/s`,
    yardstick: `html-to-text ${count(theirs)}/s`,
    ratio,
    reach: `≥ ${TEXT_REACH}×`,
    reached: ratio >= TEXT_REACH,
  }));
  const worstMs = Math.max(...worst.map(({ ms }) => ms.at(-1) ?? 0));
  return [
    ...pages,
    {
      what: `html to text, worst ${HTML_LIMIT / KIB} KiB`,
      ours: `${worstMs.toFixed(1)} ms`,
      yardstick: `html-to-text ${theirWorst(worst)}`,
      reach: `≤ ${WORST_REACH_MS} ms`,
      reached: worstMs <= WORST_REACH_MS,
    },
  ];
}

function theirWorst(worst: readonly WorstRow[]): string {
  const times = worst.flatMap(({ theirs }) => theirs ?? []);
  return `${Math.max(...times).toFixed(0)} ms, and gives up ${worst.length - times.length} of ${worst.length}`;
}

if (import.meta.main) printTextBench(benchText());
