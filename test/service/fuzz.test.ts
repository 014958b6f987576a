import { setTimeout } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { useTestApp } from '../support/app.ts';
import { htmlTexts, misnestedHtmlTexts } from '../support/inputs/generate-text.ts';
import { runs } from '../support/runs.ts';
import { REFUSED, TAKEN } from '../support/inputs/sample-files.ts';

/** Number of byte strings sent as html and as image. FUZZ_RUNS=100000 makes a long run, FUZZ_SEED repeats one. */
const RUNS = runs(300);
const SEED = Number(process.env['FUZZ_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const AT_ONCE = 25;
const AGAIN_AFTER_MS = 1_000;
const TIMEOUT_MS = 60_000 + RUNS * 20;
/** No group has this id: a well-formed request is answered 404 and stores nothing. */
const NO_GROUP = 2 ** 40;

const app = await useTestApp();
const alice = await app.signUp('alice');

const bytes = fc.uint8Array({ maxLength: 200 }).map((array) => Buffer.from(array));
const asText = fc
  .tuple(bytes, fc.constantFrom('latin1' as const, 'utf8' as const, 'utf16le' as const))
  .map(([buffer, encoding]) => buffer.toString(encoding));
const cutAndSpliced = fc
  .tuple(htmlTexts, asText, misnestedHtmlTexts, fc.nat(40))
  .map(([before, noise, after, at]) => before.slice(0, at) + noise + after.slice(at));
const html = fc.oneof(asText, cutAndSpliced);

const samples = [...TAKEN, ...REFUSED].map(([, sample]) => sample);
const damaged = fc
  .tuple(fc.constantFrom(...samples), bytes, fc.nat(40))
  .map(([sample, noise, at]) => Buffer.concat([sample.subarray(0, at), noise, sample.subarray(at)]));
const inBase64 = fc.oneof(bytes, damaged).map((buffer) => buffer.toString('base64'));
const image = fc.oneof(
  asText,
  inBase64,
  inBase64.map((text) => `data:image/png;base64,${text}`),
);

const POST = { name: 'Fuzz', html: 'x', group_metadata_ids: [NO_GROUP] };

/** Retries after 503, the correct answer of an overloaded server on a busy machine. */
async function sendPatiently(send: (text: string) => Promise<number>, text: string): Promise<number> {
  for (;;) {
    const status = await send(text);
    if (status !== 503) return status;
    await setTimeout(AGAIN_AFTER_MS);
  }
}

/** Sends byte strings concurrently; each must be answered with one of the statuses. */
async function expectAnswers(
  arbitrary: fc.Arbitrary<string>,
  send: (text: string) => Promise<number>,
  statuses: number[],
) {
  const several = fc.array(arbitrary, { minLength: AT_ONCE, maxLength: AT_ONCE });
  await fc.assert(
    fc.asyncProperty(several, async (texts) => {
      const answers = await Promise.all(texts.map((text) => sendPatiently(send, text)));
      expect(statuses).toEqual(expect.arrayContaining(answers));
    }),
    { seed: SEED, numRuns: Math.ceil(RUNS / AT_ONCE), endOnFailure: RUNS > 1_000 },
  );
}

test(
  `fuzzing: converts or rejects any byte string as html (seed ${SEED})`,
  () =>
    expectAnswers(
      html,
      async (text) => (await alice.call('venom/preview-campaign', { html: text })).status,
      [200, 400],
    ),
  TIMEOUT_MS,
);

test(
  `fuzzing: accepts or rejects any byte string as image (seed ${SEED})`,
  () =>
    expectAnswers(
      image,
      async (text) => (await alice.call('venom/add-campaign', { ...POST, image: text })).status,
      [404, 400],
    ),
  TIMEOUT_MS,
);
