/**
 * Fifty campaigns with a file of 10 MB each at once: every one is answered, and the process stays small and awake. Run it by
 * `node bench/uploads.ts`.
 */
import { readFile } from 'node:fs/promises';
import { post } from '../test/support/app.ts';
import { removeService, startService } from '../test/support/service.ts';
import { signUpSender, storm, type Sender } from '../test/support/storm.ts';

const UPLOADS = 50;
const BYTES = 10_000_020;
const USERS = 10;
const REACH_MB = 300;
const DRAIN_LIMIT_MS = 60_000;

const service = await startService({ environment: { SANDBOX_SPEED: '20' } });
try {
  const senders = await Promise.all(
    Array.from({ length: USERS }, (_, index) => signUpSender(service.url, `sender${index}`)),
  );
  const idle = await memoryMb('VmRSS');
  await readLag();
  const startedAt = performance.now();
  const answers = await storm(service.url, senders, { count: UPLOADS, bytes: BYTES });
  const ms = performance.now() - startedAt;
  const lag = await readLag();
  const afterAnswers = await memoryMb('VmHWM');
  const accepted = answers.filter(({ status }) => status === 200);
  const putOff = answers.filter(({ status, retryAfter }) => status === 503 && retryAfter !== undefined);
  await drained(accepted.map(({ sender, campaignId }) => ({ sender, campaignId })));
  const peak = await memoryMb('VmHWM');
  const drainLag = await readLag();
  console.log(`${UPLOADS} uploads of 10 MB at once, ${USERS} users`);
  console.log(
    `  accepted ${accepted.length}, put off ${putOff.length}, lost ${UPLOADS - accepted.length - putOff.length}; ${(ms / 1_000).toFixed(1)} s`,
  );
  console.log(
    `  memory: idle ${idle} MB, peak ${afterAnswers} MB until answered, ${peak} MB until sent (reach: ${REACH_MB} MB)`,
  );
  console.log(
    `  event-loop lag: p50 ${lag.p50} ms, p99 ${lag.p99} ms, max ${lag.max} ms; while sending max ${drainLag.max} ms`,
  );
  if (peak > REACH_MB || accepted.length + putOff.length < UPLOADS) process.exitCode = 1;
} finally {
  await service.stop();
  await removeService(service);
}

async function memoryMb(field: 'VmRSS' | 'VmHWM'): Promise<number> {
  const status = await readFile(`/proc/${service.pid}/status`, 'utf8');
  return Math.round((Number(new RegExp(`${field}:\\s+(\\d+) kB`).exec(status)?.[1]) * 1_024) / 1_000_000);
}

/** Since it was last read. */
async function readLag() {
  const text = await (await fetch(`${service.url}/metrics`)).text();
  const ms = (name: string) =>
    Math.round(Number(new RegExp(`^nodejs_eventloop_lag_${name}_seconds (\\S+)`, 'm').exec(text)?.[1]) * 1_000);
  return { p50: ms('p50'), p99: ms('p99'), max: ms('max') };
}

async function drained(campaigns: Array<{ sender: Sender; campaignId: string | undefined }>): Promise<void> {
  const deadline = performance.now() + DRAIN_LIMIT_MS;
  for (const { sender, campaignId } of campaigns)
    for (;;) {
      const { body } = await post(service.url, 'venom/get-campaign', { campaign_id: campaignId }, sender.token);
      const { status } = body.data as unknown as { status: string };
      if (status === 'completed') break;
      if (performance.now() > deadline) throw new Error(`a campaign is still ${status}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
}
