import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { removeService, startService, type Service } from '../support/service/service.ts';
import { readSession, runSession, type Answer } from '../support/service/shell-session.ts';

const session = readSession('docs/tutorial.md');
const run = (script: string) => runSession(script, { BASE: service.url });

interface Analytics {
  campaign: { campaign_id: string; name: string };
  totals: { sent: number; failed: number; queued: number; recipients: number };
  groups: Array<{ group_metadata_id: number }>;
}

/** Throws unless all operations succeeded and the last answers are about the campaign and the poll that were sent. */
function expectSession(answers: Answer[]): void {
  for (const answer of answers) expect(answer).toMatchObject({ error: false, status: 'success', code: 200 });
  expect(answers).toHaveLength(10);
  const [, authorized, community, channel, uploaded, sent, scheduled, asked, read, results] = answers.map(
    (answer) => answer.data,
  );
  expect(authorized).toMatchObject({ token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/) });
  expect(channel).toMatchObject({ resp: { nid: { server: 'newsletter' } } });
  expect(sent).toMatchObject({ status: 'running', group_count: 2 });
  expect(uploaded).toMatchObject({ kind: 'image', mime: 'image/gif', name: 'poster.gif' });
  expect(scheduled).toEqual({ data: true });
  expect(asked).toMatchObject({ status: 'running', group_count: 1 });
  expect(results).toMatchObject({ polls: [{ question: 'Which day next year?', options: ['Saturday', 'Sunday'] }] });
  const { campaign, totals, groups } = read as Analytics;
  expect(campaign.campaign_id).toBe((sent as { campaign_id: string }).campaign_id);
  expect(totals).toMatchObject({ sent: 2, failed: 0, queued: 0 });
  expect(totals.recipients).toBeGreaterThan(0);
  const created = [community, channel] as Array<{ group_metadata_id: number }>;
  expect(groups.map((group) => group.group_metadata_id)).toEqual(created.map((group) => group.group_metadata_id));
}

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(async () => {
  await service.stop();
  await removeService(service);
});

describe('the session in the tutorial', () => {
  test('works as printed, twice', async () => {
    expectSession(await run(session));
    expectSession(await run(session));
  });

  test.each([
    ['a path that does not exist', 'venom/create-channel', 'venom/create-chanel', 404],
    ['something else for the id of the campaign', '"campaign_id": "$CAMPAIGN"', '"campaign_id": "$TOKEN"', 400],
    ['a schedule that is over', '"end_date": "$(day 3)"', '"end_date": "2020-01-03"', 400],
    ['a token that is not sent', 'Bearer $TOKEN', 'Bearer none', 401],
    ['a body that is not JSON', '"desc": "First announcement",', '"desc": First announcement,', 400],
  ])('would fail with %s', async (_what, right, wrong, code) => {
    const broken = session.replace(right, wrong);
    expect(broken).not.toBe(session);
    const answers = await run(broken.replace('sleep 5', 'sleep 0'));
    expect(answers.find((answer) => answer.error)?.code).toBe(code);
  });
});
