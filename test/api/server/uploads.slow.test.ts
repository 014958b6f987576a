import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { post } from '../../support/app.ts';
import { until } from '../../support/ledger.ts';
import { removeService, startService, type Service } from '../../support/service/service.ts';
import { signUpSender, storm, type Sender, type Uploaded } from '../../support/service/storm.ts';

const UPLOADS = 20;
const BYTES = 4_000_020;
/** Far above actual usage (`harness/bench/uploads.ts` has the real limit), far below the usage of careless copies. */
const GENEROUS_MB = 600;

let service: Service;
let senders: Sender[];

beforeAll(async () => {
  service = await startService({ environment: { SANDBOX_SPEED: '0', LOG_LEVEL: 'info' } });
  senders = [];
  for (let index = 0; index < 5; index++) senders.push(await signUpSender(service.url, `sender${index}`));
});
afterAll(async () => {
  await service.stop();
  await removeService(service);
});

async function listMedia({ token }: Sender, groupId: number) {
  const { body } = await post(service.url, 'sandbox/list-messages', { group_metadata_id: groupId }, token);
  const { messages } = body.data as unknown as { messages: Array<{ media: { sha256: string; size: number } | null }> };
  return messages.map(({ media }) => media);
}

test('answers many big uploads at once within its memory, and delivers every accepted file intact', async () => {
  const answers = await storm(service.url, senders, { count: UPLOADS, bytes: BYTES });
  // While others wait, the slowest of those that arrive has to come again (408): on a busy machine a client may be slow.
  const isAnswer = ({ status, retryAfter }: Uploaded) =>
    status === 200 || status === 408 || (status === 503 && retryAfter !== undefined);
  expect(answers.filter((answer) => !isAnswer(answer))).toEqual([]);
  const accepted = answers.filter(({ status }) => status === 200);
  expect(accepted.length).toBeGreaterThan(0);
  for (const sender of senders) {
    const sent = accepted.filter((answer) => answer.sender === sender).map(({ sha256 }) => sha256);
    const [groupId = 0] = sender.groupIds;
    const seen = await until(
      () => listMedia(sender, groupId),
      (media) => media.length === sent.length,
    );
    expect(seen.map((media) => media?.sha256).sort()).toEqual(sent.sort());
    expect(new Set(seen.map((media) => media?.size))).toEqual(new Set(sent.length > 0 ? [BYTES] : []));
  }
  if (process.platform !== 'linux') return;
  const status = await readFile(`/proc/${service.pid}/status`, 'utf8');
  expect(Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) / 1_000).toBeLessThan(GENEROUS_MB);
});

test('frees the slot of a client that disconnects in the middle of its upload', async () => {
  const [sender] = senders;
  if (!sender) throw new Error('there is a sender');
  for (let round = 0; round < 6; round++) {
    const leaving = new AbortController();
    // Fetch asks for `duplex` with a stream; its types do not know it.
    const leave: RequestInit & { duplex: 'half' } = {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${sender.token}` },
      body: new ReadableStream({
        start(controller) {
          controller.enqueue(Buffer.alloc(600_000, 'x'));
          setTimeout(() => leaving.abort(), 20);
        },
      }),
      signal: leaving.signal,
      duplex: 'half',
    };
    const broken = fetch(`${service.url}/api/v1/venom/add-campaign`, leave);
    await expect(broken).rejects.toThrow('aborted');
  }
  const [answer] = await storm(service.url, [sender], { count: 1, bytes: BYTES });
  expect(answer?.status).toBe(200);
});
