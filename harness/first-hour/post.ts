/** Sends posts through the service, and waits for their effects. */
import sharp from 'sharp';
import type { Client } from '../../clients/typescript/client.ts';
import { CampanileError } from '../../clients/typescript/failure.ts';
import type { Operations } from '../../clients/typescript/operations.ts';
import { sleep } from '../../src/platform/time/time.ts';
import type { Facts, Made } from './report.ts';

/** The dependencies of a step. */
export interface Checking {
  client: Client;
  /** Shows a result of the service; the plan contains the operator's instructions. */
  say(text: string): void;
  /** Shows the plan's next request. Returns the operator's input. */
  prompt(): Promise<string>;
  made: Made;
  patience: Patience;
}

/** In milliseconds. */
export interface Patience {
  pollMs: number;
  /** How long the check waits for the service. */
  serviceMs: number;
  /** How long the check waits for people, and for the effects of their actions. */
  peopleMs: number;
}

type AddCampaign = Operations['venom/add-campaign']['body'];
type Analytics = Operations['analytics/get-campaign-group-analytics-master']['data'];
export type Totals = Analytics['totals'];

/** Thrown when a step cannot do its check. */
export class StepFailedError extends Error {
  readonly facts: Facts;
  constructor(message: string, facts: Facts) {
    super(message);
    this.facts = facts;
  }
}

/** Polls until the condition holds or the time is over, and returns the last value. Retries while the service is unreachable. */
export async function waitFor<Read>(
  { pollMs }: Patience,
  limitMs: number,
  read: () => Promise<Read>,
  holds: (found: Read) => boolean,
): Promise<Read> {
  const endMs = performance.now() + limitMs;
  for (;;) {
    const isLast = performance.now() >= endMs;
    try {
      const found = await read();
      if (isLast || holds(found)) return found;
    } catch (error) {
      if (isLast || !isUnreachable(error)) throw error;
    }
    await sleep(pollMs);
  }
}

function isUnreachable(error: unknown): boolean {
  return error instanceof CampanileError && (error.status === 0 || error.status >= 500);
}

export const secondsSince = (beginMs: number): number => Math.round((performance.now() - beginMs) / 100) / 10;

/** The code of WhatsApp in a sentence of the service. The sentence itself may name numbers, and is not kept. */
export function codeIn(sentence: string | null | undefined): number | null {
  const [, code] = /\((\d{3})\)/.exec(sentence ?? '') ?? [];
  return code === undefined ? null : Number(code);
}

/** Sends one campaign to one group, and waits until it has left. Throws StepFailedError when it has not. */
export async function post(
  checking: Checking,
  groupId: number | undefined,
  { image = null, ...content }: Pick<AddCampaign, 'html' | 'image' | 'link_preview' | 'poll'>,
): Promise<{ campaignId: string; facts: Facts }> {
  const { client, patience, say } = checking;
  if (groupId === undefined)
    throw new StepFailedError('There is no group to post to, since an earlier step failed', {});
  const beginMs = performance.now();
  const campaign = { name: 'Campanile check', ...content, image, group_metadata_ids: [groupId] };
  const { campaign_id: campaignId } = await client.call('venom/add-campaign', campaign);
  const read = () => readAnalytics(client, campaignId);
  const { totals, groups } = await waitFor(patience, patience.serviceMs, read, ({ totals }) => totals.queued === 0);
  const [group] = groups;
  const { sent, failed, queued, recipients } = totals;
  const isUnknown = group?.error_code === 'outcome_unknown';
  const code = Number(group?.error_params?.['code']) || null;
  const facts = { sent, failed, queued, recipients, code, isUnknown, leftAfter: secondsSince(beginMs) };
  if (sent !== 1) throw new StepFailedError(group?.last_error ?? 'The post was not sent in time', facts);
  say(`Sent after ${facts.leftAfter} s, to ${recipients} others.`);
  return { campaignId, facts };
}

function readAnalytics(client: Client, campaignId: string): Promise<Analytics> {
  return client.call('analytics/get-campaign-group-analytics-master', { campaign_id: campaignId });
}

/** Waits until what came back of a post is so. */
export async function waitForTotals(
  { client, patience }: Checking,
  campaignId: string | undefined,
  limitMs: number,
  holds: (totals: Totals) => boolean,
): Promise<Totals> {
  if (campaignId === undefined) throw new StepFailedError('The post of this step was not sent', {});
  const read = async () => (await readAnalytics(client, campaignId)).totals;
  return waitFor(patience, limitMs, read, holds);
}

/** An orange picture, as the plan describes it, as a data URL. */
export async function drawPicture(): Promise<string> {
  const background = { r: 230, g: 126, b: 34 };
  const bytes = await sharp({ create: { width: 640, height: 640, channels: 3, background } })
    .png()
    .toBuffer();
  return `data:image/png;base64,${bytes.toString('base64')}`;
}
