import { describe, expect, test } from 'vitest';
import { classifyEnding, classifyRejection } from '../../../../src/messengers/whatsapp/failures.ts';

describe('the end of a connection', () => {
  test.each([401, 403, 406, 411, 516])('is final for code %i', (code) => {
    expect(classifyEnding(code)).toMatchObject({ kind: 'over', reason: expect.stringMatching(/^[A-Z]/) });
  });
  test.each([408, 428, 500, 503, 502, undefined])('is temporary for code %s, with a backoff', (code) => {
    expect(classifyEnding(code)).toMatchObject({ kind: 'again', atOnce: false });
  });
  test('is followed by a new connection at once when WhatsApp asks for one', () => {
    expect(classifyEnding(515)).toMatchObject({ kind: 'again', atOnce: true });
  });
  test.each([402, 405, 409, 429, 440])('begins a long cool-down for code %i', (code) => {
    expect(classifyEnding(code)).toMatchObject({ kind: 'cooldown' });
  });
  test.each([400, 413, 414, 415, 418, 463, 501, 599])('is a rest as after 405 for a login refused with %i', (code) => {
    const { times } = classifyEnding(405) as { times: number };
    const reason = expect.stringContaining(`(${code})`);
    expect(classifyEnding(code, { reason: String(code) })).toMatchObject({ kind: 'cooldown', times, reason });
  });
  test('is temporary for a login that WhatsApp cannot handle now', () => {
    for (const code of [500, 503])
      expect(classifyEnding(code, { reason: String(code) })).toMatchObject({ kind: 'again', atOnce: false });
  });
  test('is a temporary ban with the length and the cause that WhatsApp gives', () => {
    const said = { reason: '402', code: '104', expire: '7200' };
    const reason = 'WhatsApp has banned this number for a while: it has sent the same message to too many people';
    expect(classifyEnding(402, said)).toMatchObject({ cause: 'banned', forMs: 7_200_000, reason });
    for (const expire of ['', '0', '-1', 'soon'])
      expect(classifyEnding(402, { expire })).toMatchObject({ cause: 'banned', forMs: undefined, times: 60 });
  });
});

describe('the answer to a post', () => {
  test.each([400, 401, 403, 404, 405, 406, 410, 550])('is a final rejection for code %i', (code) => {
    expect(classifyRejection(code)).toMatchObject({ kind: 'final', reason: expect.stringMatching(/^[A-Z]/) });
  });
  test.each([408, 420, 421, 475, 479, 500, 503, 551, 599])('is a temporary rejection for code %i', (code) => {
    expect(classifyRejection(code)).toMatchObject({ kind: 'passing' });
  });
  test.each([
    [475, 'private chats'],
    [550, 'delete posts'],
    [551, 'addresses its members'],
  ])('says what code %i means', (code, meaning) => {
    expect(classifyRejection(code)).toMatchObject({ reason: expect.stringContaining(meaning) });
  });
  test.each([
    [429, 'rate_limited'],
    [463, 'restricted'],
  ])('begins a cool-down for code %i', (code, cause) => {
    expect(classifyRejection(code)).toMatchObject({ kind: 'cooldown', cause });
  });
});
