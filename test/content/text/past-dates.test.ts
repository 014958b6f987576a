import { expect, test } from 'vitest';
import { convertHtml } from '../../../src/content/text/html-to-whatsapp.ts';
import { warnOfPastDates } from '../../../src/content/text/past-dates.ts';
import { useTestApp } from '../../support/app.ts';
import { PLAUSIBLE_POSTS } from '../../support/inputs/plausible-posts.ts';

const app = await useTestApp();
const alice = await app.signUp('alice');
const DUE = [new Date('2026-05-01T10:00:00Z'), new Date('2026-05-20T10:00:00Z')];
const found = (text: string) => warnOfPastDates(text, DUE).map(({ params }) => params?.['names']);

test.each([
  ['We meet on Friday, 3 May 2026 at 18:00', '"3 May 2026"'],
  ['Come!\nMay 3, 6 pm', '"May 3"'],
  ['2026-05-03 18:00', '"2026-05-03"'],
  ['Fr, 3.5., 18 Uhr', '"3.5."'],
  ['Freitag, 3. Mai um 18 Uhr', '"3. Mai"'],
  ['El 3 de mayo de 2026, 18:00', '"3 de mayo de 2026"'],
  ['dia 3 de maio às 18h00', '"3 de maio"'],
  ['3 Mei 2026, 18:00', '"3 Mei 2026"'],
  ['3 मई, 6 बजे', '"3 मई"'],
  ['18 May 18:00', '"18 May"'],
  ['Kurs am 3.5. und 10.5. jeweils 18:00', '"3.5.", "10.5."'],
])('%j has passed by the last run', (text, names) => {
  expect(found(text)).toEqual([names]);
  expect(warnOfPastDates(text, [new Date('2026-04-20T10:00:00Z')])).toEqual([]);
});

test.each([
  ['without a time of day, as in a report', 'Photos of our fair on 3 May 2026'],
  ['with a time of day elsewhere', 'Photos of 3 May 2026\nThe office opens at 9:00'],
  ['a long time ago', 'Founded on 3 May 1926 at 10:00'],
  ['before one that is to come', '3 May and 3 June at 18:00'],
  ['of the day of the run, and of the day before, which some zone may still have', '19 May 18:00'],
  ['that may be of next year', '3 January 18:00'],
  ['that is none', '31.4. um 9:00'],
  ['that is times or a version', 'we open at 18.30. v1.2. at 9:00, 3 maypole dances at 10:00'],
  ['within an address', 'https://example.org/2026-05-03/ at 18:00'],
])('no date %s', (_what, text) => {
  expect(found(text)).toEqual([]);
});

test('tells of nothing in 200 posts that mean what they say', () => {
  expect(PLAUSIBLE_POSTS.flatMap((html) => warnOfPastDates(convertHtml(html).text, DUE))).toEqual([]);
});

test('is told by check-campaign and in the header of what is sent', async () => {
  const { body } = await alice.call<{ groups: Array<{ group_metadata_id: number }> }>('venom/list-groups');
  const groups = body.data.groups.slice(0, 1).map(({ group_metadata_id: id }) => id);
  const lastMonth = new Date(Date.now() - 30 * 86_400_000).toISOString().slice(0, 10);
  const html = `<p>We meet on ${lastMonth} at 18:00.</p>`;
  const post = { name: 'Old', html, group_metadata_ids: groups };
  const checked = await alice.call<{ warnings: Array<{ code: string }> }>('venom/check-campaign', post);
  expect(checked.body.data.warnings.map(({ code }) => code)).toContain('date_passed');
  const sent = await alice.call('venom/add-campaign', post);
  expect([sent.status, sent.headers.get('x-campanile-warnings')]).toEqual([
    200,
    expect.stringContaining('have passed'),
  ]);
});
