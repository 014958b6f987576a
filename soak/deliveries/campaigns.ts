import { sleep } from '../../src/platform/time/time.ts';
import { draw, drawMs, type Span } from '../../test/support/inputs/random.ts';
import type { ExpectedRun } from '../../test/witness/compare-posts.ts';
import { POLL_OPTIONS } from '../../test/witness/votes.ts';
import type { Ask } from './ask.ts';
import type { LedgerClock } from './ledger-clock.ts';
import type { Sender, SenderGroup } from './senders.ts';

/** An accepted campaign, with the effects that the witness should see. */
export interface Sent {
  sender: Sender;
  campaignId: string;
  groups: SenderGroup[];
  isPoll: boolean;
  run: ExpectedRun & { halts: Array<{ fromMs: number; toMs: number }> };
}

const BETWEEN: Span = { minMs: 100, maxMs: 1_500 };
const BEFORE_A_HALT: Span = { minMs: 0, maxMs: 2_500 };
const UNTIL_DUE: Span = { minMs: 2_000, maxMs: 8_000 };
/** More are not begun before some have ended. */
const UNFINISHED_AT_MOST = 4;
const POLL_MS = 400;
/** So many campaigns of a sender have one poll. */
const POLL_EVERY = 4;

const nowMs = () => performance.timeOrigin + performance.now();

/** Sends until stopped. Repeats the request of each campaign under one idempotency key until the result is known. */
export async function sendContinuously(
  sender: Sender,
  { ask, clock, random, stop }: { ask: Ask; clock: LedgerClock; random: () => number; stop: AbortSignal },
  sent: Sent[],
): Promise<void> {
  const aside = new Set<Promise<void>>();
  for (let number = 1; !stop.aborted; number++) {
    if ((await countUnfinished(sender, ask)) >= UNFINISHED_AT_MOST) {
      await sleep(POLL_MS, stop);
      continue;
    }
    const groups = draw(random, sender.groups, Math.ceil(sender.groups.length * (0.3 + 0.7 * random())));
    const text = `${sender.name} ${number}`;
    const isPoll = number % POLL_EVERY === 0;
    const [isPlanned, aheadMs] = [random() < 0.25, drawMs(random, UNTIL_DUE)];
    const campaign = await clock.request(() =>
      isPlanned && clock.mayPlan
        ? schedule(sender, { ask, clock }, { text, groups, isPoll }, aheadMs)
        : sendNow(sender, { ask, clock }, { text, groups, isPoll }),
    );
    const [fate, haltMs, cooldownMs] = [random(), drawMs(random, BEFORE_A_HALT), drawMs(random, BEFORE_A_HALT)];
    if (campaign) {
      sent.push(campaign);
      const halting =
        fate < 0.12
          ? pauseFor(campaign, ask, haltMs, cooldownMs)
          : fate < 0.22
            ? cancel(campaign, ask, haltMs)
            : undefined;
      if (halting) {
        const ended = halting.then(() => void aside.delete(ended));
        aside.add(ended);
      }
    }
    await sleep(drawMs(random, BETWEEN), stop);
  }
  await Promise.all(aside);
}

async function countUnfinished(sender: Sender, ask: Ask): Promise<number> {
  const counts = await Promise.all(
    ['running', 'paused'].map(async (status) => {
      const { data } = await ask<{ campaigns: unknown[] }>(sender, 'venom/list-campaigns', { status, limit: 10 });
      return data.campaigns.length;
    }),
  );
  return counts.reduce((sum, count) => sum + count, 0);
}

export interface Asking {
  ask: Ask;
  clock: LedgerClock;
}

export interface Message {
  text: string;
  groups: SenderGroup[];
  /** The text is the question of a poll. */
  isPoll?: boolean;
}

/** Times of runs are by the clock of the database. */
export async function sendNow(sender: Sender, { ask, clock }: Asking, message: Message): Promise<Sent> {
  const [askedMs, leastMs] = [nowMs(), clock.leastMs];
  const { data } = await ask<{ campaign_id: string }>(sender, 'venom/add-campaign', bodyOf(message), message.text);
  return toSent(sender, data.campaign_id, message, {
    askedMs: askedMs - clock.mostMs,
    dueMs: nowMs() - leastMs,
    acceptedMs: nowMs(),
  });
}

/** Undefined when the APIs were away for so long that its time had passed. */
async function schedule(
  sender: Sender,
  { ask, clock }: Asking,
  message: Message,
  aheadMs: number,
): Promise<Sent | undefined> {
  const { leastMs } = clock;
  const dueMs = Math.ceil((nowMs() - leastMs + aheadMs) / 1_000) * 1_000;
  const [date = '', rest = ''] = new Date(dueMs).toISOString().split('T');
  const when = {
    is_schedule: true,
    start_date: date,
    end_date: date,
    schedule_time: rest.slice(0, 8),
    time_zone: 'UTC',
  };
  const body = { ...bodyOf(message), ...when };
  const { status, headers } = await ask(sender, 'venom/add-campaign-batch', body, message.text);
  if (status === 400) return undefined;
  const campaignId = headers.get('x-campaign-id') ?? '';
  return toSent(sender, campaignId, message, {
    askedMs: dueMs,
    dueMs: Math.max(dueMs, nowMs() - leastMs),
    acceptedMs: nowMs(),
  });
}

function bodyOf({ text, groups, isPoll }: Message) {
  const poll = { question: text, options: POLL_OPTIONS, multiple: true };
  const post = isPoll ? { html: '', poll } : { html: `<p>${text}</p>` };
  return { name: text, ...post, group_metadata_ids: groups.map(({ groupId }) => groupId) };
}

function toSent(
  sender: Sender,
  campaignId: string,
  { text, groups, isPoll = false }: Message,
  times: { askedMs: number; dueMs: number; acceptedMs: number },
): Sent {
  const chatIds = groups.map(({ chatId }) => chatId);
  const run = { accountId: sender.accountId, text, chatIds, ...times, halts: [], cancelled: false };
  return { sender, campaignId, groups, isPoll, run };
}

async function statusOf({ sender, campaignId }: Sent, ask: Ask): Promise<string> {
  const path = 'venom/get-campaign';
  const { status, data } = await ask<{ status: string } | null>(sender, path, { campaign_id: campaignId });
  if (!data) throw new Error(`${path} answered ${status} for a campaign that was accepted`);
  return data.status;
}

/** Pauses it, and lets it go on. It may have ended before. */
async function pauseFor(campaign: Sent, ask: Ask, haltMs: number, cooldownMs: number): Promise<void> {
  const { sender, run, campaignId } = campaign;
  await sleep(haltMs);
  // From here on it may step aside, whether we ever hear so or not.
  const halt = { fromMs: Infinity, toMs: Infinity };
  run.halts.push(halt);
  await ask(sender, 'venom/pause-campaign', { campaign_id: campaignId });
  // A try that was not answered may have been carried out, so that the answer alone does not tell.
  if ((await statusOf(campaign, ask)) !== 'paused') return;
  halt.fromMs = nowMs();
  await sleep(cooldownMs);
  halt.toMs = nowMs();
  await ask(sender, 'venom/resume-campaign', { campaign_id: campaignId });
}

async function cancel(campaign: Sent, ask: Ask, haltMs: number): Promise<void> {
  const { sender, run, campaignId } = campaign;
  await sleep(haltMs);
  const halt = { fromMs: Infinity, toMs: Infinity };
  run.halts.push(halt);
  await ask(sender, 'venom/cancel-campaign', { campaign_id: campaignId });
  if ((await statusOf(campaign, ask)) !== 'cancelled') return;
  halt.fromMs = nowMs();
  run.cancelled = true;
}

const DRAIN_LIMIT_MS = 240_000;

/** Waits until every campaign has ended. One that a late pause has reached goes on. Throws when it takes too long. */
export async function waitUntilEnded(sent: readonly Sent[], ask: Ask): Promise<void> {
  const deadline = performance.now() + DRAIN_LIMIT_MS;
  for (const campaign of sent)
    for (;;) {
      const status = await statusOf(campaign, ask);
      if (status === 'cancelled') campaign.run.cancelled = true;
      if (!['scheduled', 'running', 'paused'].includes(status)) break;
      const { sender, campaignId } = campaign;
      if (status === 'paused') await ask(sender, 'venom/resume-campaign', { campaign_id: campaignId });
      if (performance.now() > deadline) throw new Error(`${campaign.run.text} did not end: it is ${status}`);
      await sleep(POLL_MS);
    }
}
