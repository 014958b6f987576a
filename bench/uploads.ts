/**
 * Fifty campaigns with a file of 10 MB each at once: every one is answered, and the process stays small and awake. Then one, while two
 * others bring theirs a byte at a time. Then twenty films of 60 MB as they are, which cost less memory than the campaigns.
 */
import { post } from '../test/support/app.ts';
import { film } from '../test/support/inputs/films.ts';
import { upload } from '../test/support/upload.ts';
import { removeService, startService, type Service } from '../test/support/service/service.ts';
import { dribble } from '../test/support/http/raw.ts';
import { signUpSender, storm, type Sender, type Uploaded } from '../test/support/service/storm.ts';
import { memoryMb } from './support/memory.ts';
import { median, type Row } from './support/table.ts';

const UPLOADS = 50;
const BYTES = 10_000_020;
const USERS = 10;
const REACH_MB = 600;
const REACH_LAG_MS = 250;
const DRAIN_LIMIT_MS = 60_000;
const DRIBBLERS = 2;
const FILMS = 20;
const FILM_BYTES = 60_000_000;
const FILLER = new Uint8Array(65_536);
const REACH_DELAY = 2;

export async function benchUploads(): Promise<Row[]> {
  if (process.platform !== 'linux') return [];
  const service = await startService({ environment: { SANDBOX_SPEED: '20' } });
  try {
    const senders = await Promise.all(
      Array.from({ length: USERS }, (_, index) => signUpSender(service.url, `sender${index}`)),
    );
    const idle = await memoryMb(service, 'VmRSS');
    await readWorstLagMs(service);
    const startedAt = performance.now();
    const answers = await storm(service.url, senders, { count: UPLOADS, bytes: BYTES });
    const seconds = (performance.now() - startedAt) / 1_000;
    const lag = await readWorstLagMs(service);
    const accepted = answers.filter(({ status }) => status === 200);
    const putOff = answers.filter(({ status, retryAfter }) => status === 503 && retryAfter !== undefined);
    for (const campaign of accepted) await drained(service, campaign);
    const worstLag = Math.max(lag, await readWorstLagMs(service));
    const peak = await memoryMb(service, 'VmHWM');
    const aloneMs = await uploadMs(service, senders.slice(DRIBBLERS));
    const dribblers = senders.slice(0, DRIBBLERS).map(({ token }) => dribble(service.url, token));
    const besideMs = await uploadMs(service, senders.slice(DRIBBLERS));
    const ends = await Promise.all(dribblers);
    console.log(`  ${DRIBBLERS} dribblers: ${ends.map(({ status, ms }) => `${status} after ${ms} ms`).join(', ')}`);
    console.log(`  idle ${idle} MB; ${accepted.length} accepted, ${putOff.length} put off in ${seconds.toFixed(1)} s`);
    const what = `${UPLOADS} uploads of 10 MB at once`;
    const lost = UPLOADS - accepted.length - putOff.length;
    const films = await uploadFilms(service, senders);
    const afterFilms = await memoryMb(service, 'VmHWM');
    return [
      { what: `${what}, answered`, ours: `${UPLOADS - lost}`, yardstick: '–', reach: 'all', reached: lost === 0 },
      {
        what: `${what}, peak memory until sent`,
        ours: `${peak} MB`,
        yardstick: `idle ${idle} MB`,
        reach: `≤ ${REACH_MB} MB`,
        reached: peak <= REACH_MB,
      },
      {
        what: `${what}, worst event-loop lag`,
        ours: `${worstLag} ms`,
        yardstick: 'the clock',
        reach: `≤ ${REACH_LAG_MS} ms`,
        reached: worstLag <= REACH_LAG_MS,
      },
      {
        what: `an upload of 10 MB beside ${DRIBBLERS} that dribble`,
        ours: `${besideMs} ms`,
        yardstick: `alone ${aloneMs} ms`,
        reach: `≤ ${REACH_DELAY} ×`,
        reached: besideMs <= aloneMs * REACH_DELAY,
      },
      {
        what: `${FILMS} films of ${FILM_BYTES / 1_000_000} MB as they are, taken`,
        ours: `${films}`,
        yardstick: '–',
        reach: 'all',
        reached: films === FILMS,
      },
      {
        what: 'the same, peak memory',
        ours: `${afterFilms} MB`,
        yardstick: `before ${peak} MB`,
        reach: `≤ ${REACH_MB} MB`,
        reached: afterFilms <= REACH_MB,
      },
    ];
  } finally {
    await service.stop();
    await removeService(service);
  }
}

/** How long one upload takes, in milliseconds: the median of a few, one after the other. */
async function uploadMs({ url }: Service, senders: readonly Sender[]): Promise<number> {
  const times: number[] = [];
  for (const sender of senders.slice(0, 5)) {
    const startedAt = performance.now();
    const [answer] = await storm(url, [sender], { count: 1, bytes: BYTES });
    if (answer?.status !== 200) throw new Error(`an upload alone was answered ${answer?.status}`);
    times.push(performance.now() - startedAt);
  }
  return Math.round(median(times));
}

/** Returns how many were taken. Each has other bytes. */
async function uploadFilms({ url }: Service, senders: readonly Sender[]): Promise<number> {
  const answers = await Promise.all(
    Array.from({ length: FILMS }, (_, index) => {
      const token = senders[index % senders.length]?.token ?? '';
      return upload(url, token, filmOf(index), { name: `film ${index}.mp4` });
    }),
  );
  return answers.filter(({ status }) => status === 200).length;
}

/** A film that no other upload has. It is not in memory as a whole here either. */
function filmOf(index: number): ReadableStream<Uint8Array> {
  const head = film({ bytes: 1_000 + index });
  let left = FILM_BYTES - head.length;
  return new ReadableStream({
    start: (controller) => controller.enqueue(new Uint8Array(head)),
    pull(controller) {
      if (left <= 0) return controller.close();
      controller.enqueue(FILLER.subarray(0, Math.min(left, FILLER.length)));
      left -= FILLER.length;
    },
  });
}

/** Since it was last read. */
async function readWorstLagMs({ url }: Service): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Math.round(Number(/^nodejs_eventloop_lag_max_seconds (\S+)/m.exec(text)?.[1]) * 1_000);
}

async function drained({ url }: Service, { sender, campaignId }: Uploaded): Promise<void> {
  const deadline = performance.now() + DRAIN_LIMIT_MS;
  for (;;) {
    const { body } = await post(url, 'venom/get-campaign', { campaign_id: campaignId }, sender.token);
    const { status } = body.data as unknown as { status: string };
    if (status === 'completed') return;
    if (performance.now() > deadline) throw new Error(`a campaign is still ${status}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
