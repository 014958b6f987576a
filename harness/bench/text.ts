/** HTML to text: our converter beside html-to-text on one corpus, and the worst HTML there is as the service converts it, in threads. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import { compile } from 'html-to-text';
import type { Bench } from './support/run-benches.ts';
import { limitRow, median, rateRow, type Row } from './support/table.ts';
import { createConverter } from '../../src/content/text/convert-in-worker.ts';
import { HTML_LIMIT } from '../../src/api/contract/fields.ts';
import { convertHtml } from '../../src/content/text/html-to-whatsapp.ts';
import { WORST_HTML } from '../../test/support/inputs/worst-html.ts';

/** The ratio to reach. */
const REACH = 0.7;
/** What an ordinary page of 16 KiB may take, in milliseconds. */
const PAGE_REACH_MS = 5;
const PAGE_LENGTH = 16 * 1_024;
/** What a document of the longest HTML may take, in milliseconds, and how late the event loop may be meanwhile. */
const WORST_REACH_MS = 3_000;
const LAG_REACH_MS = 50;

const theirConvert = compile({ wordwrap: false });

export async function benchText({ pick, report }: Bench): Promise<void> {
  for (const [name, html] of Object.entries({ ...CORPUS, 'a page of 16 KiB': PAGE })) {
    const what = `html to text, ${name}`;
    await report(what, async () => benchDocument(what, html, pick(25, 25, 1), pick(40, 40, 1)));
  }
  await report('html to text, the worst', () => benchWorst(pick(HTML_LIMIT, HTML_LIMIT, 2 * PAGE_LENGTH)));
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
const PAGE = EVERYTHING.repeat(PAGE_LENGTH / EVERYTHING.length);

function benchDocument(what: string, html: string, rounds: number, roundMs: number): Row[] {
  const found = Array.from({ length: rounds }, () => {
    const ours = speedOf((text) => convertHtml(text).text, html, roundMs);
    return { ours, ratio: ours / speedOf(theirConvert, html, roundMs) };
  });
  const ours = median(found.map((round) => round.ours));
  const theirs = ours / median(found.map(({ ratio }) => ratio));
  const row = rateRow(what, ours, { 'html-to-text': theirs }, REACH);
  const ms = 1_000 / ours;
  return html === PAGE ? [row, limitRow(`${what}, each`, ms, PAGE_REACH_MS, { ours: `${ms.toFixed(1)} ms` })] : [row];
}

/** Documents a second of processor time, over one round. */
function speedOf(convert: (html: string) => string, html: string, roundMs: number): number {
  const end = performance.now() + roundMs;
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

interface Worst {
  name: string;
  ms: number;
}

/**
 * Conversion as the service does it: the longest HTML in worker threads, where it blocks nobody, and the longest HTML of the main thread.
 */
async function benchWorst(longest: number): Promise<Row[]> {
  const converter = createConverter();
  const ofPages = Object.entries(WORST_HTML).map(([name, shape]) => {
    const page = shape(PAGE_LENGTH);
    // Of several tries, since whatever else the machine does only makes them longer.
    return { name, ms: Math.min(...Array.from({ length: 5 }, () => processorMs(() => void convertHtml(page)))) };
  });
  const ofLongest: Worst[] = [];
  const lag = monitorEventLoopDelay({ resolution: 5 });
  for (const [name, shape] of Object.entries(WORST_HTML)) {
    const html = shape(longest);
    // Making it is not what is measured.
    await setTimeout(20);
    lag.enable();
    const startedAt = performance.now();
    await converter.convert(html);
    ofLongest.push({ name, ms: performance.now() - startedAt });
    lag.disable();
  }
  await converter.close();
  const row = (length: number, found: readonly Worst[], most: number) => {
    const { name, ms } = found.reduce((one, other) => (other.ms > one.ms ? other : one));
    const ours = `${ms.toFixed(0)} ms, ${name}`;
    return limitRow(`html to text, the worst ${length / 1_024} KiB`, ms, most, { ours });
  };
  return [
    row(longest, ofLongest, WORST_REACH_MS),
    limitRow('event loop late meanwhile, at most', lag.max / 1e6, LAG_REACH_MS),
    row(PAGE_LENGTH, ofPages, LAG_REACH_MS),
  ];
}
