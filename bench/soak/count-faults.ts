import { sleep } from '../../src/lib/time.ts';
import type { Ask, Sender } from './senders.ts';

/** What must not have happened, as the API tells it. Each is a number of posts, of one campaign to one group each. */
export interface Faults {
  lost: number;
  twice: number;
  'out of order': number;
  /** Posts that nobody asked for. */
  unknown: number;
  /** Deliveries of which the analytics say something else than the groups. */
  'counted wrong': number;
}

export interface Findings {
  campaigns: number;
  posts: number;
  faults: Faults;
}

const DRAIN_LIMIT_MS = 180_000;
const PAUSE_MS = 200;

/** Waits until nothing is under way any more. Throws when that takes too long. */
export async function waitUntilDrained(senders: readonly Sender[], ask: Ask): Promise<void> {
  const deadline = performance.now() + DRAIN_LIMIT_MS;
  for (const sender of senders)
    for (;;) {
      const body = { status: 'running', limit: 1 };
      const { campaigns } = await ask<{ campaigns: unknown[] }>(sender, 'venom/list-campaigns', body);
      if (campaigns.length === 0) break;
      if (performance.now() > deadline) throw new Error(`${sender.name}'s campaigns did not end in time`);
      await sleep(PAUSE_MS);
    }
}

/** Reads every group and every campaign's analytics, and compares them with what was accepted. */
export async function countFaults(senders: readonly Sender[], ask: Ask): Promise<Findings> {
  const faults: Faults = { lost: 0, twice: 0, 'out of order': 0, unknown: 0, 'counted wrong': 0 };
  let posts = 0;
  let campaigns = 0;
  for (const sender of senders) {
    campaigns += sender.campaignIds.length;
    for (const groupId of sender.groupIds) {
      const numbers = await readPosts(sender, groupId, ask);
      posts += numbers.length;
      judgeGroup(numbers, sender.campaignIds.length, faults);
    }
    for (const campaignId of sender.campaignIds) await judgeAnalytics(sender, campaignId, ask, faults);
  }
  return { campaigns, posts, faults };
}

/** The numbers of the posts in a group, as its members see them. */
async function readPosts(sender: Sender, groupId: number, ask: Ask): Promise<number[]> {
  const numbers: number[] = [];
  let cursor: string | null = null;
  do {
    const page: { messages: Array<{ text: string }>; next_cursor: string | null } = await ask(
      sender,
      'sandbox/list-messages',
      { group_metadata_id: groupId, limit: 1_000, cursor },
    );
    for (const { text } of page.messages) numbers.push(Number(/^post (\d+)$/.exec(text)?.[1] ?? Number.NaN));
    cursor = page.next_cursor;
  } while (cursor !== null);
  return numbers;
}

function judgeGroup(numbers: readonly number[], expected: number, faults: Faults): void {
  const seen = new Set<number>();
  let highest = 0;
  for (const number of numbers) {
    if (!(number >= 1 && number <= expected)) {
      faults.unknown += 1;
      continue;
    }
    if (seen.has(number)) faults.twice += 1;
    else if (number < highest) faults['out of order'] += 1;
    seen.add(number);
    highest = Math.max(highest, number);
  }
  for (let number = 1; number <= expected; number++) if (!seen.has(number)) faults.lost += 1;
}

async function judgeAnalytics(sender: Sender, campaignId: string, ask: Ask, faults: Faults): Promise<void> {
  const { totals } = await ask<{ totals: { deliveries: number; sent: number } }>(
    sender,
    'analytics/get-campaign-group-analytics-master',
    { campaign_id: campaignId },
  );
  const expected = sender.groupIds.length;
  faults['counted wrong'] += Math.abs(totals.deliveries - expected) + Math.abs(totals.sent - expected);
}
