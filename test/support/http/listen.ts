import { until } from '../ledger.ts';

/** One event as received. */
export interface Heard {
  event: string;
  /** Its own id, if it has one. */
  id: string | undefined;
  /** The caller gives the type. */
  data: unknown;
  /** By the process's monotonic clock, in milliseconds. */
  atMs: number;
}

export interface CampaignSeen {
  campaign_id: string;
  name: string;
  status: string;
  progress: Record<'deliveries' | 'queued' | 'sent' | 'failed' | 'cancelled', number> &
    Record<'delivered' | 'read', number | null>;
  next_run_at: string | null;
}

/** A client of the event stream that stores all events. */
export interface Listener {
  status: number;
  headers: Headers;
  events: Heard[];
  /** The raw text received. */
  text(): string;
  hasEnded(): boolean;
  /** The last event about a campaign. */
  last(campaignId: string): CampaignSeen | undefined;
  /** Resolves when the last event about the campaign satisfies the condition. */
  hears(campaignId: string, holds: (campaign: CampaignSeen) => boolean): Promise<CampaignSeen>;
  /** Resolves when the snapshot has arrived. */
  snapshot(): Promise<Heard[]>;
  leave(): Promise<void>;
}

/** Listens to a user's events until it disconnects or the stream ends, after `lastEventId` and of `workspace` if given. */
export async function listen(url: string, token?: string, lastEventId?: string, workspace?: string): Promise<Listener> {
  const leaving = new AbortController();
  const response = await fetch(`${url}/api/v1/events${workspace === undefined ? '' : `?workspace=${workspace}`}`, {
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
    },
    signal: leaving.signal,
  });
  const events: Heard[] = [];
  let text = '';
  let ended = false;
  const reading = read(response, (piece) => {
    text += piece;
    const whole = text
      .split('\n\n')
      .slice(0, -1)
      .filter((frame) => /^event: /m.test(frame));
    for (const frame of whole.slice(events.length)) events.push(parse(frame));
  }).then(() => (ended = true));
  const last = (campaignId: string) =>
    events.findLast((one) => one.event === 'campaign' && (one.data as CampaignSeen).campaign_id === campaignId)
      ?.data as CampaignSeen | undefined;
  return {
    status: response.status,
    headers: response.headers,
    events,
    text: () => text,
    hasEnded: () => ended,
    last,
    async hears(campaignId, holds) {
      const found = await until(
        () => last(campaignId),
        (campaign) => campaign !== undefined && holds(campaign),
      );
      if (!found) throw new Error('it was heard and is gone');
      return found;
    },
    async snapshot() {
      await until(
        () => events.length,
        (count) => count > 0,
      );
      return events;
    },
    async leave() {
      leaving.abort();
      await reading;
    },
  };
}

async function read(response: Response, take: (piece: string) => void): Promise<void> {
  const decoder = new TextDecoder();
  try {
    for await (const piece of response.body ?? []) take(decoder.decode(piece as Uint8Array, { stream: true }));
  } catch {
    // The client or the server has closed the stream.
  }
}

function parse(frame: string): Heard {
  const [, id, event = '', data = ''] = /^(?:id: (.*)\n)?event: (.*)\ndata: (.*)$/.exec(frame) ?? [];
  return { event, id, data: JSON.parse(data), atMs: performance.now() };
}
