import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { removeService, startService, type Service } from '../support/service.ts';

const readme = readFileSync(join(import.meta.dirname, '../../README.md'), 'utf8');

interface Answer {
  error: boolean;
  status: string;
  code: number;
  data: unknown;
}
interface Analytics {
  campaign: { campaign_id: string; name: string };
  totals: { sent: number; failed: number; queued: number; recipients: number };
  groups: Array<{ group_metadata_id: number }>;
}

/** The one shell block of the README that talks to the service. */
function readSession(): string {
  const blocks = [...readme.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, block = '']) => block);
  expect(blocks).toHaveLength(1);
  return blocks[0] ?? '';
}

/** Runs a shell script as a user would, but stops at its first error; resolves to the answers it printed. */
async function run(script: string, service: Service): Promise<Answer[]> {
  const child = spawn('sh', ['-eu'], { env: { PATH: process.env['PATH'], BASE: service.url } });
  let printed = '';
  let complaints = '';
  child.stdout.on('data', (chunk: Buffer) => (printed += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (complaints += chunk.toString()));
  child.stdin.end(script);
  const code = await new Promise((resolve) => child.once('close', resolve));
  if (code !== 0 || complaints !== '') throw new Error(`the session ended with ${String(code)}: ${complaints}`);
  return printed
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Answer);
}

/** Throws unless all seven operations succeeded and the last answer is about the campaign that was sent. */
function expectSession(answers: Answer[]): void {
  for (const answer of answers) expect(answer).toMatchObject({ error: false, status: 'success', code: 200 });
  expect(answers).toHaveLength(7);
  const [, authorized, community, channel, sent, scheduled, read] = answers.map((answer) => answer.data);
  expect(authorized).toMatchObject({ token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/) });
  expect(channel).toMatchObject({ resp: { nid: { server: 'newsletter' } } });
  expect(sent).toMatchObject({ status: 'running', group_count: 2 });
  expect(scheduled).toEqual({ data: true });
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

describe('the session in the README', () => {
  test('works as printed, and works again', async () => {
    const session = readSession();
    expectSession(await run(session, service));
    expectSession(await run(session, service));
  }, 60_000);

  test.each([
    ['a path that does not exist', 'venom/create-channel', 'venom/create-chanel', 404],
    ['something else for the id of the campaign', '"campaign_id": "$CAMPAIGN"', '"campaign_id": "$TOKEN"', 400],
    ['a schedule that is over', '"end_date": "$(day 3)"', '"end_date": "2020-01-03"', 400],
    ['a token that is not sent', 'Bearer $TOKEN', 'Bearer none', 401],
    ['a body that is not JSON', '"desc": "First announcement",', '"desc": First announcement,', 400],
  ])('would be caught with %s', async (_what, right, wrong, code) => {
    const session = readSession().replace('sleep 5', 'sleep 0');
    const broken = session.replace(right, wrong);
    expect(broken).not.toBe(session);
    const answers = await run(broken, service);
    expect(answers.find((answer) => answer.error)?.code).toBe(code);
  });
});

test('what the README calls not there yet is not there', async () => {
  const section = readme.split('\n## What is not there yet\n')[1]?.split('\n## ')[0] ?? '';
  const missing = [...section.matchAll(/`([a-z]+(?:[-_][a-z]+)*)`/g)].map(([, name]) => name);
  expect(section).not.toBe('');
  const { paths } = (await (await fetch(`${service.url}/openapi.json`)).json()) as { paths: object };
  const present = Object.keys(paths).map((path) => path.split('/').at(-1));
  expect(present).toContain('pause-campaign');
  expect(missing.filter((name) => present.includes(name))).toEqual([]);
});
