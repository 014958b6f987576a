/** Why an account is not connected: each sentence of the service has a code, and each code a text in the language of the page. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { classifyEnding } from '../../src/messengers/whatsapp/failures.ts';
import { STATE_REASONS, stateCodeOf, wordState, type StateCode } from '../../src/platform/errors/account-states.ts';
import { stateReasonText } from '../../web/format/state-reason.ts';

const root = join(import.meta.dirname, '../..');

/** These are errors of a request or lines of the log, never the reason of a state. */
const OTHERS = new Set([
  'WhatsApp refuses this version of its client',
  'WhatsApp refused to link an account',
  'WhatsApp does not say how long an account is restricted',
  'WhatsApp did not answer: try again in a moment',
  'WhatsApp did not confirm that the link was ended: try again in a moment',
  'WhatsApp gave no new challenge after it rejected a passkey',
  'WhatsApp asks for a passkey to link an account',
  'WhatsApp rejected a passkey',
  'WhatsApp cannot be reached',
]);

const textOf = (reason: string) => stateReasonText({ reason, reason_code: stateCodeOf(reason) });

test('gives the end of a connection a code, whatever WhatsApp calls it', () => {
  const bans = ['101', '102', '103', '104', '106', '999'].map((code) => classifyEnding(402, { reason: '402', code }));
  const endings = Array.from({ length: 200 }, (_, index) => [
    classifyEnding(400 + index),
    classifyEnding(400 + index, { reason: 'given' }),
  ]).flat();
  expect([...bans, ...endings].map(({ reason }) => reason).filter((reason) => stateCodeOf(reason) === null)).toEqual(
    [],
  );
  expect(new Set(bans.map(({ reason }) => textOf(reason))).size).toBe(bans.length);
});

test('finds the code of each sentence, whatever its numbers, and of no other', () => {
  const codes = Object.keys(STATE_REASONS) as StateCode[];
  expect(codes.map((code) => stateCodeOf(wordState(code, 463, '4915100000001')))).toEqual(codes);
  expect(wordState('other_number', '49151', '4930')).toContain('+49151; this account is for +4930 alone');
  expect([stateCodeOf(''), stateCodeOf('Something new'), stateCodeOf('constructor')]).toEqual([null, null, null]);
});

test('takes the sentences of sessions from the table', () => {
  const files = globSync('src/messengers/whatsapp/{session,whatsapp,connect/*}.ts', { cwd: root });
  const sentences = files.flatMap((file) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(/['`]((?:WhatsApp|The|No|Linking) [^'`$]{15,})['`]/g)].map(
      ([, sentence]) => sentence ?? '',
    ),
  );
  expect(sentences.length).toBeGreaterThan(3);
  expect(sentences.filter((sentence) => !OTHERS.has(sentence))).toEqual([]);
});

test('words each code, and a reason without one as the service does', () => {
  expect(textOf('WhatsApp cannot be reached just now: try again in a moment')).toBe(
    'This service could not reach WhatsApp.',
  );
  expect(textOf('Something new')).toBe('Something new');
  expect(stateReasonText({ reason: 'Of a newer service', reason_code: 'newer' })).toBe('Of a newer service');
});
