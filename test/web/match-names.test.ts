import { expect, test } from 'vitest';
import type { Group } from '../../web/api/operations.ts';
import { matchNames } from '../../web/compose/match-names.ts';

let made = 0;
const group = (group_name: string, can_send = true) => ({ group_metadata_id: ++made, group_name, can_send }) as Group;
const [choir, board, twin, other, closed, quoted] = [
  group('Choir 🎶'),
  group('Board'),
  group('Parents'),
  group('parents '),
  group('News', false),
  group('The "old" town'),
];
const GROUPS = [choir, board, twin, other, closed, quoted] as Group[];

test.each([
  ['Choir 🎶\nBoard\n', [choir, board]],
  ['Board\tRosa\t12\r\n  choir   🎶 \r\nboard', [board, choir]],
  ['Parents', [twin]],
  ['"The ""old"" town"', [quoted]],
])('%j are found', (column, found) => {
  expect(matchNames(column, GROUPS)).toEqual({ found, unknown: [], ambiguous: [], unpostable: [] });
});

test('names of no group, of several, and of one that cannot be posted to are listed', () => {
  expect(matchNames('Tenants\nPARENTS\nNews\nBoard\nTenants', GROUPS)).toEqual({
    found: [board],
    unknown: ['Tenants'],
    ambiguous: ['PARENTS'],
    unpostable: ['News'],
  });
});
