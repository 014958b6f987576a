/**
 * `npm run soak -- whatsapp`: a service holds linked accounts that post without a break, while the members of their groups receive,
 * read, react and reply, all on the loopback peer. Shows whether the service's memory is flat, and holds its analytics against what
 * the members did. `--minutes` (10 unless given), `--sessions` (20). Exits 1 when memory grows or a count is wrong.
 */
import { parseArgs } from 'node:util';
import { sleep } from '../../src/platform/time/time.ts';
import { seededRandom } from '../../test/support/inputs/random.ts';
import { removeService, startService, type Service } from '../../test/support/service/service.ts';
import { startWhatsAppPeer, type WhatsAppPeer } from '../whatsapp-peer/peer.ts';
import { count } from '../bench/support/table.ts';
import { until } from '../bench/support/until.ts';
import { giveGroups, GROUPS_EACH, linkSender, post, respond, type Done, type Sender } from './whatsapp/senders.ts';

const { values } = parseArgs({ options: { minutes: { type: 'string' }, sessions: { type: 'string' } } });
const minutes = Number(values.minutes ?? 10);
const sessions = Number(values.sessions ?? 20);
if (!(minutes > 0 && minutes <= 24 * 60 && Number.isSafeInteger(sessions) && sessions > 0)) {
  console.error('--minutes must be a number over 0 and at most 1440, --sessions a whole number over 0.');
  process.exit(2);
}

const MEMBERS = 5;
const PAUSE_MS = 10_000;
const SAMPLE_MS = 10_000;
/** Of the heap after garbage collection, from the first quarter of the time to the last. */
const MOST_GROWTH_MB = 8;
const WATCH = new URL('../bench/support/watch-heap.ts', import.meta.url);

interface Memory {
  rssMb: number;
  heapMb: number;
}

const startedAt = performance.now();
const say = (what: string) =>
  console.log(`${((performance.now() - startedAt) / 1_000).toFixed(0).padStart(5)} s  ${what}`);
const inWords = ({ rssMb, heapMb }: Memory) => `${rssMb.toFixed(1)} MB resident, ${heapMb.toFixed(1)} MB heap`;

const peer = await startWhatsAppPeer();
const service = await startService({
  environment: { ...peer.environment, NODE_OPTIONS: `--import ${WATCH.href}` },
});
try {
  await soak(service, peer);
} finally {
  await service.stop();
  await removeService(service);
  await peer.stop();
}

async function soak(service: Service, peer: WhatsAppPeer): Promise<void> {
  const random = seededRandom(1);
  const senders: Sender[] = [];
  const first = await measure(service);
  say(`before anybody is linked: ${inWords(first)}`);
  for (let index = 0; index < sessions; index++) {
    senders.push(await linkSender(service.url, peer, `4915900${String(index).padStart(6, '0')}`));
    if (index === 0) say(`one session: ${inWords(await measureAtRest(service))}`);
  }
  const idle = await measureAtRest(service);
  say(`${sessions} idle sessions: ${inWords(idle)}`);

  const members = Array.from({ length: MEMBERS }, (_, index) => peer.addPerson(`4915800${String(index)}00000`));
  for (const sender of senders) await giveGroups(peer, sender, members);
  const done: Done = { posts: 0, delivered: 0, read: 0, reactions: 0, replies: 0 };
  const ending = new AbortController();
  const under = new Set<Promise<void>>();
  const posting = senders.map((sender) => postContinuously(sender, random, ending.signal));
  const watching = watchArrivals(peer, senders, ending.signal, (companion, found) => {
    const answering = respond(companion, found, { members, random, done }).finally(() => under.delete(answering));
    under.add(answering);
  });
  const samples = await takeSamples(service, done);
  ending.abort();
  await Promise.all(posting);
  await until('the last posts', async () => (await counted(senders)).posts === (await accepted(senders)));
  await sleep(1_000);
  await watching;
  await Promise.all(under);
  report(samples, done, await counted(senders));
}

async function postContinuously(sender: Sender, random: () => number, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await sleep(PAUSE_MS * (0.5 + random()), signal);
    if (!signal.aborted) await post(sender);
  }
}

/** Each post that has arrived, once. What was seen is dropped: the peer must not be what grows. */
async function watchArrivals(
  { arrivals, received, handedOut, world }: WhatsAppPeer,
  senders: readonly Sender[],
  signal: AbortSignal,
  onPost: (companion: Sender['companion'], post: { chatId: string; messageId: string }) => void,
): Promise<void> {
  const recent = new Set<string>();
  const ownerOf = new Map<string, Sender['companion']>();
  for (const { id, creator } of world.groups.values()) {
    const owner = senders.find(({ companion }) => creator === `${companion.person.lid}@lid`);
    if (owner) ownerOf.set(id, owner.companion);
  }
  let rounds = 0;
  // A little longer than the senders send.
  for (let last = 0; last < 20; last = signal.aborted ? last + 1 : 0) {
    for (const { chatId, messageId } of arrivals.splice(0)) {
      const companion = ownerOf.get(chatId);
      if (!companion || recent.has(messageId)) continue;
      recent.add(messageId);
      onPost(companion, { chatId, messageId });
    }
    received.length = 0;
    handedOut.length = 0;
    // What one post shows on several devices arrives within a moment.
    if (++rounds % 600 === 0) for (const id of [...recent].slice(0, -1_000)) recent.delete(id);
    await sleep(100);
  }
}

async function takeSamples(service: Service, done: Done): Promise<Memory[]> {
  const samples: Memory[] = [];
  const endAt = performance.now() + minutes * 60_000;
  while (performance.now() < endAt) {
    await sleep(SAMPLE_MS);
    const memory = await measure(service);
    samples.push(memory);
    if (samples.length % 6 === 0)
      say(`${inWords(memory)}; ${count(done.posts)} posts, ${count(done.delivered)} received`);
  }
  return samples;
}

/** After the garbage was collected. */
async function measure(service: Service): Promise<Memory> {
  const said = () => [...service.log().matchAll(/"memory","rss":(\d+),"heapUsed":(\d+)/g)];
  const before = said().length;
  process.kill(service.pid, 'SIGUSR2');
  await until('the memory', () => said().length > before);
  const [, rss, heap] = said().at(-1) ?? [];
  return { rssMb: Number(rss) / 1e6, heapMb: Number(heap) / 1e6 };
}

/** Once what the linking has left to do is done. */
async function measureAtRest(service: Service): Promise<Memory> {
  await sleep(8_000);
  return measure(service);
}

interface Counts {
  posts: number;
  delivered: number;
  read: number;
}

async function counted(senders: readonly Sender[]): Promise<Counts> {
  const sum = { posts: 0, delivered: 0, read: 0 };
  for (const { client } of senders) {
    const { totals } = await client.call<{ totals: Counts & { sent: number } }>('analytics/get-overview', { days: 3 });
    sum.posts += totals.sent;
    sum.delivered += totals.delivered;
    sum.read += totals.read;
  }
  return sum;
}

/** In posts to one group. */
async function accepted(senders: readonly Sender[]): Promise<number> {
  let runs = 0;
  for (const { client } of senders)
    runs += (await client.call<{ totals: { runs: number } }>('analytics/get-overview', { days: 3 })).totals.runs;
  return runs * GROUPS_EACH;
}

function report(samples: readonly Memory[], done: Done, counts: Counts): void {
  const quarter = Math.max(1, Math.floor(samples.length / 4));
  const mean = (part: readonly Memory[]): Memory => ({
    rssMb: part.reduce((sum, { rssMb }) => sum + rssMb, 0) / part.length,
    heapMb: part.reduce((sum, { heapMb }) => sum + heapMb, 0) / part.length,
  });
  const [early, late] = [mean(samples.slice(0, quarter)), mean(samples.slice(-quarter))];
  console.log(`\nfirst quarter: ${inWords(early)}\nlast quarter:  ${inWords(late)}`);
  console.log(`members did:   ${JSON.stringify(done)}\nit counted:    ${JSON.stringify(counts)}`);
  const isFlat = late.heapMb - early.heapMb <= MOST_GROWTH_MB;
  const isRight = (['posts', 'delivered', 'read'] as const).every((what) => counts[what] === done[what]);
  console.log(`memory is ${isFlat ? 'flat' : 'NOT FLAT'}, counts are ${isRight ? 'right' : 'WRONG'}`);
  if (!isFlat || !isRight) process.exitCode = 1;
}
