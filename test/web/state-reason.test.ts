/** Why an account is not connected, in the language of the page: each sentence of the messenger has a text. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { classifyEnding, REJECTED_IN_A_ROW, RESTRICTED } from '../../src/messengers/whatsapp/failures.ts';
import { stateReasonText } from '../../web/format/state-reason.ts';

const root = join(import.meta.dirname, '../..');

/** These are errors of a request or lines of the log, never the reason of a state. */
const OTHERS = new Set([
  'WhatsApp refuses this version of its client',
  'WhatsApp refused to link an account',
  'WhatsApp does not say how long an account is restricted',
  'WhatsApp did not answer: try again in a moment',
  'WhatsApp did not confirm that the link was ended: try again in a moment',
]);

const isKnown = (reason: string) => stateReasonText(reason) !== reason;

test('names the end of a connection, whatever its code', () => {
  const bans = ['101', '102', '103', '104', '106', '999'].map((code) => classifyEnding(402, { reason: '402', code }));
  const endings = Array.from({ length: 200 }, (_, index) => [
    classifyEnding(400 + index),
    classifyEnding(400 + index, { reason: 'given' }),
  ]).flat();
  expect([...bans, ...endings].map(({ reason }) => reason).filter((reason) => !isKnown(reason))).toEqual([]);
  expect(new Set(bans.map(({ reason }) => stateReasonText(reason))).size).toBe(bans.length);
});

test('names what ends a link or an attempt to link', () => {
  const files = globSync('src/messengers/whatsapp/{session,whatsapp,connect/*}.ts', { cwd: root });
  const sentences = files.flatMap((file) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(/'((?:WhatsApp|The|No|Linking) [^'$]{15,})'/g)].map(
      ([, sentence]) => sentence ?? '',
    ),
  );
  expect(sentences.length).toBeGreaterThan(10);
  expect(sentences.filter((sentence) => !isKnown(sentence) && !OTHERS.has(sentence))).toEqual([]);
  expect([RESTRICTED, REJECTED_IN_A_ROW].filter((reason) => !isKnown(reason))).toEqual([]);
});

test('says that this service had no way out, and not that WhatsApp refused', () => {
  expect(stateReasonText('WhatsApp cannot be reached just now: try again in a moment')).toBe(
    'This service could not reach WhatsApp.',
  );
  expect(stateReasonText('Something new')).toBe('Something new');
});
