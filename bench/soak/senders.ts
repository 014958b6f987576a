import { sleep } from '../../src/lib/time.ts';
import { call, Refused, signUp } from '../support/client.ts';
import { drawMs, type Span } from '../../test/support/random.ts';

/** A user who sends one campaign after the other to all of their groups. The n-th one says `post n`. */
export interface Sender {
  name: string;
  token: string;
  groupIds: number[];
  /** Between the answer to one campaign and the next. */
  pause: Span;
  /** Campaigns that were accepted, in that order. */
  campaignIds: string[];
}

/** Asks the service wherever it is just now. */
export type Ask = <Data>(sender: Sender, operation: string, body?: object, key?: string) => Promise<Data>;

const RETRY_MS = 100;
const PATIENCE_MS = 120_000;
/** Not now: a key whose first attempt is still under way, too much to do, the database away. */
const LATER = new Set([409, 429, 503]);

export async function createSender(
  url: string,
  { name, groups, pause }: { name: string; groups: number; pause: Span },
): Promise<Sender> {
  const client = await signUp(url, name);
  for (let index = 1; index <= groups; index++)
    await client.call('venom/create-group', { group_name: `Group ${index}`, participants: ['+49 151 2345-6789'] });
  await client.call('venom/create-community', { community_name: 'Village' });
  await client.call('venom/create-channel', { name: 'News' });
  const groupIds: number[] = [];
  let cursor: string | null = null;
  do {
    const page: { groups: Array<{ group_metadata_id: number }>; next_cursor: string | null } = await client.call(
      'venom/list-groups',
      { limit: 500, cursor },
    );
    for (const group of page.groups) groupIds.push(group.group_metadata_id);
    cursor = page.next_cursor;
  } while (cursor !== null);
  return { name, token: client.token, groupIds, pause, campaignIds: [] };
}

/** Asks again, while the service is away or has no time, until there is an answer. `key` makes that safe for what is no question. */
export function askUntilAnswered(urlNow: () => string): Ask {
  return async <Data>({ token }: Sender, operation: string, body: object = {}, key?: string): Promise<Data> => {
    const headers = { authorization: `Bearer ${token}`, ...(key === undefined ? {} : { 'idempotency-key': key }) };
    const deadline = performance.now() + PATIENCE_MS;
    for (;;) {
      try {
        return await call<Data>(urlNow(), operation, body, headers);
      } catch (error) {
        const isAway = error instanceof TypeError || (error instanceof DOMException && error.name === 'TimeoutError');
        const isBusy = error instanceof Refused && LATER.has(error.status);
        if ((!isAway && !isBusy) || performance.now() > deadline) throw error;
        await sleep(RETRY_MS);
      }
    }
  };
}

/** Sends until told to stop. Each campaign is asked for under a key until it is known to be accepted, once. */
export async function keepSending(sender: Sender, ask: Ask, random: () => number, stop: AbortSignal): Promise<void> {
  while (!stop.aborted) {
    const post = `post ${sender.campaignIds.length + 1}`;
    const { campaign_id } = await ask<{ campaign_id: string }>(
      sender,
      'venom/add-campaign',
      { name: post, html: `<p>${post}</p>`, group_metadata_ids: sender.groupIds },
      `${sender.name} ${post}`,
    );
    sender.campaignIds.push(campaign_id);
    await sleep(drawMs(random, sender.pause), stop);
  }
}
