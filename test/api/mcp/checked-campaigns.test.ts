import { expect, test } from 'vitest';
import {
  ChecksFullError,
  createCheckStore,
  KEY_LIMIT,
  TOTAL_LIMIT,
  type CheckedCampaign,
} from '../../../src/api/mcp/checked-campaigns.ts';

const campaign = (html = 'x'): CheckedCampaign => ({
  path: 'venom/add-campaign',
  body: { name: 'x', html, group_metadata_ids: [1], is_schedule: false },
});

function create() {
  let nowMs = 0;
  const checked = createCheckStore(() => nowMs);
  return {
    keep: (key: string, html?: string) => checked.store(key, campaign(html)),
    find: (key: string, checkId: string) => checked.find(key, checkId),
    pass: (minutes: number) => void (nowMs += minutes * 60_000),
  };
}

test('a check expires after 30 minutes and is valid only for the key that made it', () => {
  const { keep, find, pass } = create();
  const first = keep('key');
  pass(29);
  expect(find('key', first)).toEqual(campaign());
  expect(find('other', first)).toBeUndefined();
  pass(1);
  expect(find('key', first)).toBeUndefined();
});

test('a key over its limit evicts its own least recently used check, and none of another key', () => {
  const { keep, find } = create();
  const other = keep('other');
  const [first, second] = [keep('key'), keep('key')];
  for (let more = 2; more < KEY_LIMIT.count; more++) keep('key');
  find('key', first);
  for (let more = 0; more < 1_000; more++) {
    keep('key');
    expect(find('key', first)).toBeDefined();
  }
  expect(find('key', second)).toBeUndefined();
  expect(find('other', other)).toBeDefined();
});

test('limits the size of the checks of a key, too', () => {
  const { keep, find } = create();
  const half = 'x'.repeat(KEY_LIMIT.length / 2 - 1_000);
  const [first, second, third] = [keep('key', half), keep('key', half), keep('key', half)];
  expect([first, second, third].map((checkId) => find('key', checkId) !== undefined)).toEqual([false, true, true]);
});

test.each([
  ['as many', 'x', TOTAL_LIMIT.count / KEY_LIMIT.count, KEY_LIMIT.count],
  ['as large', 'x'.repeat(KEY_LIMIT.length - 1_000), TOTAL_LIMIT.length / KEY_LIMIT.length, 1],
])(
  'once all keys together store %s as allowed, rejects a check of a new key with an explanation until some expire',
  (_, html, keys, each) => {
    const { keep, find, pass } = create();
    for (let key = 0; key < keys; key++) for (let check = 0; check < each; check++) keep(`key ${key}`, html);
    expect(() => keep('newcomer', html)).toThrow(ChecksFullError);
    expect(() => keep('newcomer', html)).toThrow(/within 30 minutes/);
    expect(keep('key 0', html)).toMatch(/^check_/);
    pass(30);
    expect(find('newcomer', keep('newcomer', html))).toBeDefined();
  },
);
