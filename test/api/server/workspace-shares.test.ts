/** A workspace with ten busy members takes no more from another workspace than one with a single member. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sleep } from '../../../src/platform/time/time.ts';
import { startTestApp, type Person } from '../../support/app.ts';
import { callIn, defaultWorkspace, join } from '../../support/team.ts';
import { rawConnection } from '../../support/http/raw.ts';

const MIB = 1024 * 1024;
/** Nobody is too slow. */
const PATIENT = { bodyPace: { bytesPerSecond: 1, graceMs: 3_600_000 } };
/** Requests a minute. */
const RATE = 40;
/** Until requests that were sent have arrived; later ones would only make the test milder. */
const ARRIVAL_MS = 1_000;

const app = await startTestApp({}, undefined, undefined, undefined, PATIENT);
afterAll(() => app.stop());
let workspaceId: string;
let busy: Person[];
let other: Person;
beforeAll(async () => {
  const owner = await app.signUp('owner');
  workspaceId = await defaultWorkspace(owner);
  busy = [owner];
  for (let index = 1; index < 10; index++) {
    const member = await app.signUp(`member-${index}`);
    await join(app, { owner, workspaceId, role: 'manager' }, member);
    busy.push(member);
  }
  other = await app.signUp('other');
});

/** Begins a request of a member whose body of that size never arrives. Returns how to give it up. */
function begin({ token }: Person, path: string, type: string, size: number): () => void {
  const { send, socket } = rawConnection(app.url);
  send(
    `POST /api/v1/${path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${token}\r\nx-workspace: ${workspaceId}\r\n` +
      `content-type: ${type}\r\ncontent-length: ${size}\r\n\r\nh`,
  );
  return () => void socket.destroy();
}

test('uploads that never end delay no other workspace', async () => {
  const begun = busy.flatMap((member) => [1, 2].map(() => begin(member, 'media/upload', 'text/plain', MIB)));
  await sleep(ARRIVAL_MS);
  const answer = await fetch(`${app.url}/api/v1/media/upload`, {
    method: 'POST',
    headers: { authorization: `Bearer ${other.token}`, 'content-type': 'text/plain' },
    body: 'A file of the other workspace',
  });
  expect(answer.status).toBe(200);
  for (const giveUp of begun) giveUp();
});

test('large bodies that never end delay no other workspace', async () => {
  const begun = busy.map((member) => begin(member, 'venom/add-campaign', 'application/json', 26 * MIB));
  await sleep(ARRIVAL_MS);
  const { status } = await other.call('venom/add-campaign', { name: 'x', html: 'x', image: 'A'.repeat(MIB) });
  expect(status).toBe(400);
  for (const giveUp of begun) giveUp();
});

test('members share one rate of requests, and another workspace has its own', async () => {
  const limited = await startTestApp({ rateLimit: RATE }, app.database);
  const ask = (member: Person) => callIn(limited, member, workspaceId, 'venom/list-drafts');
  const answers = [];
  // One after the other: a process that is overloaded answers 503.
  for (const member of busy) for (let asked = 0; asked < RATE / 5; asked++) answers.push(await ask(member));
  const passed = answers.filter(({ status }) => status === 200);
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 429]));
  expect(passed).toHaveLength(RATE);
  const { token } = other;
  expect((await limited.call('venom/list-drafts', {}, token)).headers.get('x-ratelimit-remaining')).toBe(`${RATE - 1}`);
  await limited.stop();
});

test('requests for a workspace of others count towards the rate of the person’s own', async () => {
  const limited = await startTestApp({ rateLimit: 5 }, app.database);
  const statuses = [];
  for (let index = 0; index < 8; index++)
    statuses.push((await callIn(limited, other, String(900_000 + index), 'venom/list-drafts')).status);
  expect(statuses).toEqual([404, 404, 404, 404, 404, 429, 429, 429]);
  expect((await limited.call('venom/list-drafts', {}, other.token)).status).toBe(429);
  await limited.stop();
});
