import pg from 'pg';
import { sleep } from '../../src/platform/time/time.ts';
import type { LeaderHarm, Patroni } from '../../test/support/servers/patroni.ts';
import { draw, drawMs, seededRandom, type Span } from '../../test/support/inputs/random.ts';
import type { Behaviour } from '../../test/witness/protocol.ts';
import { askAnyOf, type Ask } from './ask.ts';
import { sendContinuously, sendNow, type Sent } from './campaigns.ts';
import { startUnits, type Units } from './fleet.ts';
import { GAP } from './gap.ts';
import { conclude, createSenders, type SoakFindings } from './run-soak.ts';
import type { Sender, SenderPlan } from './senders.ts';

/** One leader that was lost. All times are from the moment at which it was harmed. */
export interface Failover {
  how: LeaderHarm;
  /** Until Patroni tells of another leader that has a synchronous replica. */
  leaderMs: number;
  /** Until a campaign is accepted that was first asked for after the harm. */
  acceptedMs: number;
  /** Until the messaging application is given the first post of such a campaign. */
  postMs: number;
  /** Until the old leader follows the new one. */
  wholeMs: number;
}

export interface FailoverOptions {
  seed: number;
  times: number;
  senders: readonly SenderPlan[];
  behaviour: Behaviour;
  say: (what: string) => void;
}

const HARMS: readonly LeaderHarm[] = ['killed', 'frozen', 'cut off'];
/** Until the next one, once all three are there. */
const PAUSE: Span = { minMs: 500, maxMs: 3_000 };
const PROBE_EVERY_MS = 2_000;
const POLL_MS = 50;
const LONGEST_MS = 120_000;
/** Asks for one campaign after the other from each harm until one is accepted. */
const PROBE: SenderPlan = { name: 'probe', groups: 1, paced: false };

const nowMs = () => performance.timeOrigin + performance.now();

/**
 * Runs two APIs and three workers in front of three PostgreSQL servers under Patroni, with users who send throughout. Harms the leader
 * `times` times, each time when all three servers are members. The seed determines the faults and the messages.
 */
export async function runFailovers(
  patroni: Patroni,
  { seed, times, senders: plans, behaviour, say }: FailoverOptions,
): Promise<Omit<SoakFindings, 'survived' | 'handedOver'> & { failovers: Failover[] }> {
  const fleet = await startUnits(patroni, { seed, gap: `${GAP.minMs}-${GAP.maxMs}` });
  const unexcused: string[] = [];
  const ask = askAnyOf(fleet.urls, seededRandom(seed + 1), (what) => unexcused.push(what));
  let stopped = false;
  try {
    const socket = patroni.socket();
    const url = `postgres://${patroni.user}@127.0.0.1:${'port' in socket ? socket.port : ''}/${patroni.database}`;
    const all = await createSenders(fleet, { url }, [...plans, PROBE], ask);
    const senders = all.filter(({ name }) => name !== PROBE.name);
    const probe = all.find(({ name }) => name === PROBE.name);
    if (!probe) throw new Error('there is no probe');
    await fleet.witness.behave(behaviour);
    say(`${senders.length} senders, ${senders.reduce((sum, { groups }) => sum + groups.length, 0)} groups`);
    const sent: Sent[] = [];
    const stop = new AbortController();
    const { clock } = fleet;
    const sending = senders.map((sender, index) =>
      sendContinuously(sender, { ask, clock, random: seededRandom(seed + 2 + index), stop: stop.signal }, sent),
    );
    const harming = loseLeaders({ patroni, fleet, probe, ask, sent, say }, times, seededRandom(seed)).finally(() =>
      stop.abort(),
    );
    const [failovers] = await Promise.all([harming, ...sending]);
    say(`harm ends; ${sent.length} campaigns were accepted`);
    const found = await conclude({ fleet, senders: all, sent, ask, unexcused, say });
    stopped = true;
    return { ...found, failovers };
  } finally {
    if (!stopped) await fleet.stop();
  }
}

interface Scene {
  patroni: Patroni;
  fleet: Units;
  probe: Sender;
  ask: Ask;
  sent: Sent[];
  say: (what: string) => void;
}

/** Every three times each kind once, in an order that is drawn. */
async function loseLeaders(scene: Scene, times: number, random: () => number): Promise<Failover[]> {
  const failovers: Failover[] = [];
  let kinds: LeaderHarm[] = [];
  while (failovers.length < times) {
    if (kinds.length === 0) kinds = draw(random, HARMS, HARMS.length);
    const how = kinds.pop() ?? 'killed';
    await sleep(drawMs(random, PAUSE));
    const failover = await loseLeader(scene, how, failovers.length + 1);
    failovers.push(failover);
    const { leaderMs, acceptedMs, postMs, wholeMs } = failover;
    const inSeconds = [leaderMs, acceptedMs, postMs, wholeMs].map((ms) => (ms / 1_000).toFixed(1)).join(', ');
    scene.say(`${failovers.length}. ${how}: leader, accepted, post, whole after ${inSeconds} s`);
  }
  return failovers;
}

async function loseLeader(scene: Scene, how: LeaderHarm, number: number): Promise<Failover> {
  const { patroni } = scene;
  const lost = await patroni.harmLeader(how);
  const harmedMs = nowMs();
  const [{ acceptedMs, postMs }, leaderMs] = await Promise.all([
    probeUntilAccepted(scene, number),
    patroni.awaitLeader(lost).then(() => nowMs() - harmedMs),
  ]);
  await patroni.revive(lost);
  await patroni.awaitWhole();
  return {
    how,
    leaderMs,
    acceptedMs: acceptedMs - harmedMs,
    postMs: postMs - harmedMs,
    wholeMs: nowMs() - harmedMs,
  };
}

/** Asks as users do who come one after the other; none gives up, so that each campaign is compared. */
async function probeUntilAccepted(
  { patroni, fleet, probe, ask, sent }: Scene,
  number: number,
): Promise<{ acceptedMs: number; postMs: number }> {
  const asked: Array<Promise<unknown>> = [];
  const texts = new Set<string>();
  const failures: unknown[] = [];
  let acceptedMs = Infinity;
  const over = new AbortController();
  for (let index = 1; !over.signal.aborted; index++) {
    const text = `probe ${number}.${index}`;
    texts.add(text);
    const asking = sendNow(probe, { ask, clock: fleet.clock }, { text, groups: probe.groups })
      .then((campaign) => {
        acceptedMs = Math.min(acceptedMs, nowMs());
        sent.push(campaign);
      })
      .catch((reason: unknown) => void failures.push(reason))
      .finally(() => over.abort());
    asked.push(asking);
    await sleep(PROBE_EVERY_MS, over.signal);
  }
  const postMs = failures.length > 0 ? Infinity : await awaitPost(fleet, texts);
  if (postMs === undefined)
    throw new Error(
      `no post of what was accepted after the leader was lost has left: ${await describe(patroni, fleet)}`,
    );
  await Promise.all(asked);
  if (failures.length > 0) throw failures[0];
  return { acceptedMs, postMs };
}

/** Undefined: none came. */
async function awaitPost({ witness }: Units, texts: ReadonlySet<string>): Promise<number | undefined> {
  for (const deadline = performance.now() + LONGEST_MS; performance.now() < deadline; await sleep(POLL_MS)) {
    const first = (await witness.entries()).find(({ text }) => texts.has(text));
    if (first) return first.arrivedMs;
  }
  return undefined;
}

/** For debugging: why the ledger does not send, and the last log lines of its processes. */
async function describe(patroni: Patroni, fleet: Units): Promise<string> {
  const socket = patroni.socket();
  const { user, database } = patroni;
  const client = new pg.Client({ host: '127.0.0.1', port: 'port' in socket ? socket.port : 0, user, database });
  await client.connect();
  const { rows } = await client.query(
    `select (select to_jsonb(l) from ledger l) as ledger, (select jsonb_agg(w) from workers w) as workers,
            (select jsonb_object_agg(coalesce(worker_id, 0), n) from (select worker_id, count(*) as n from shards group by 1) s) as shards,
            (select jsonb_agg(l) from lanes l) as lanes, campanile_now() as now`,
  );
  await client.end();
  return `${JSON.stringify(rows)}\n${fleet.logs()}`;
}
