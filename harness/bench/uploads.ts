/**
 * Fifty campaigns with a file of 10 MB each at once: every one is answered, and the process stays small and awake. Then one, while two
 * others bring theirs a byte at a time. Then twenty films of 60 MB as they are, which cost less memory than the campaigns.
 */
import { post } from '../../test/support/app.ts';
import { film } from '../../test/support/inputs/films.ts';
import { upload } from '../../test/support/upload.ts';
import type { Service } from '../../test/support/service/service.ts';
import { dribble } from '../../test/support/http/raw.ts';
import { signUpSender, storm, type Sender, type Uploaded } from '../../test/support/service/storm.ts';
import { memoryMb } from './support/memory.ts';
import { timeMs } from './support/in-turn.ts';
import type { Bench } from './support/run-benches.ts';
import { startBenchService } from './support/service.ts';
import { limitRow, median, timesRow, type Row } from './support/table.ts';
import { until } from './support/until.ts';

const REACH_MB = 600;
const REACH_LAG_MS = 250;
const DRIBBLERS = 2;
const FILLER = new Uint8Array(65_536);
const REACH_DELAY = 2;
const NUMBER = { unit: 'of them', yardstick: '–' };

const SCALE = { users: 10, uploads: 50, uploadBytes: 10_000_020, films: 20, filmBytes: 60_000_000 };
type Scale = typeof SCALE;
const SMALLEST: Scale = { users: 3, uploads: 3, uploadBytes: 300_000, films: 2, filmBytes: 300_000 };

const megabytes = (bytes: number) => `${Math.round(bytes / 100_000) / 10} MB`;

export async function benchUploads({ pick, report }: Bench): Promise<void> {
  if (process.platform !== 'linux') return;
  const scale = pick(SCALE, SCALE, SMALLEST);
  await using service = await startBenchService({ environment: { SANDBOX_SPEED: '20' } });
  const senders = await Promise.all(
    Array.from({ length: scale.users }, (_, index) => signUpSender(service.url, `sender${index}`)),
  );
  await report('uploads at once', () => uploadAtOnce(service, senders, scale));
  await report('an upload beside some that dribble', () => uploadBesideDribblers(service, senders, scale));
  await report('films', () => takeFilms(service, senders, scale));
}

async function uploadAtOnce(
  service: Service,
  senders: readonly Sender[],
  { uploads, uploadBytes }: Scale,
): Promise<Row[]> {
  const idle = await memoryMb(service, 'VmRSS');
  await readWorstLagMs(service);
  const startedAt = performance.now();
  const answers = await storm(service.url, senders, { count: uploads, bytes: uploadBytes });
  const seconds = (performance.now() - startedAt) / 1_000;
  const lag = await readWorstLagMs(service);
  const accepted = answers.filter(({ status }) => status === 200);
  const putOff = answers.filter(({ status, retryAfter }) => status === 503 && retryAfter !== undefined);
  for (const campaign of accepted) await drained(service, campaign);
  const worstLag = Math.max(lag, await readWorstLagMs(service));
  const peak = await memoryMb(service, 'VmHWM');
  console.log(`  idle ${idle} MB; ${accepted.length} accepted, ${putOff.length} put off in ${seconds.toFixed(1)} s`);
  const what = `${uploads} uploads of ${megabytes(uploadBytes)} at once`;
  return [
    limitRow(`${what}, not answered`, uploads - accepted.length - putOff.length, 0, NUMBER),
    limitRow(`${what}, peak memory until sent`, peak, REACH_MB, { unit: 'MB', yardstick: `idle ${idle} MB` }),
    limitRow(`${what}, worst event-loop lag`, worstLag, REACH_LAG_MS),
  ];
}

async function uploadBesideDribblers(service: Service, senders: readonly Sender[], scale: Scale): Promise<Row> {
  const aloneMs = await uploadMs(service, senders.slice(DRIBBLERS), scale);
  const dribblers = senders.slice(0, DRIBBLERS).map(({ token }) => dribble(service.url, token));
  const besideMs = await uploadMs(service, senders.slice(DRIBBLERS), scale);
  const ends = await Promise.all(dribblers);
  console.log(`  ${DRIBBLERS} dribblers: ${ends.map(({ status, ms }) => `${status} after ${ms} ms`).join(', ')}`);
  const what = `an upload of ${megabytes(scale.uploadBytes)} beside ${DRIBBLERS} that dribble`;
  return timesRow(what, besideMs, ['alone', aloneMs], REACH_DELAY);
}

async function takeFilms(service: Service, senders: readonly Sender[], scale: Scale): Promise<Row[]> {
  const before = await memoryMb(service, 'VmHWM');
  const taken = await uploadFilms(service, senders, scale);
  const after = await memoryMb(service, 'VmHWM');
  return [
    limitRow(
      `${scale.films} films of ${megabytes(scale.filmBytes)} as they are, not taken`,
      scale.films - taken,
      0,
      NUMBER,
    ),
    limitRow('the same, peak memory', after, REACH_MB, { unit: 'MB', yardstick: `before ${before} MB` }),
  ];
}

/** How long one upload takes, in milliseconds: the median of a few, one after the other. */
async function uploadMs({ url }: Service, senders: readonly Sender[], { uploadBytes }: Scale): Promise<number> {
  const times: number[] = [];
  for (const sender of senders.slice(0, 5))
    times.push(
      await timeMs(async () => {
        const [answer] = await storm(url, [sender], { count: 1, bytes: uploadBytes });
        if (answer?.status !== 200) throw new Error(`an upload alone was answered ${answer?.status}`);
      }),
    );
  return median(times);
}

/** Returns how many were taken. Each has other bytes. */
async function uploadFilms({ url }: Service, senders: readonly Sender[], { films, filmBytes }: Scale): Promise<number> {
  const answers = await Promise.all(
    Array.from({ length: films }, (_, index) => {
      const token = senders[index % senders.length]?.token ?? '';
      return upload(url, token, filmOf(index, filmBytes), { name: `film ${index}.mp4` });
    }),
  );
  return answers.filter(({ status }) => status === 200).length;
}

/** A film that no other upload has. It is not in memory as a whole here either. */
function filmOf(index: number, bytes: number): ReadableStream<Uint8Array> {
  const head = film({ bytes: 1_000 + index });
  let left = bytes - head.length;
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
  const isDone = async () => {
    const { body } = await post(url, 'venom/get-campaign', { campaign_id: campaignId }, sender.token);
    return (body.data as unknown as { status: string }).status === 'completed';
  };
  await until('a campaign', isDone, { pauseMs: 20 });
}
