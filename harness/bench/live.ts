/** What live progress costs: a large campaign is sent while hundreds listen, and once while nobody does. */
import { readColumn, readRows, type Database } from '../../src/platform/database/statements.ts';
import type { Service } from '../../test/support/service/service.ts';
import { signUp, type Client } from './support/client.ts';
import { startCluster } from './support/cluster.ts';
import { measureInTurn } from './support/in-turn.ts';
import type { Bench } from './support/run-benches.ts';
import { startBenchService } from './support/service.ts';
import { limitRow, median, rateRow, type Row } from './support/table.ts';
import { until } from './support/until.ts';

const REACH_LAG_MS = 1_000;

/** The streams that are not the sender's belong to users without changes. */
const FULL = { groups: 10_000, campaigns: 6, rounds: 4, streams: 500, streamsOfSender: 100, others: 8 };
type Scale = typeof FULL;
const SMALLEST: Scale = { groups: 100, campaigns: 1, rounds: 1, streams: 10, streamsOfSender: 2, others: 2 };

export async function benchLive({ pick, report }: Bench): Promise<void> {
  const scale = pick(FULL, { ...FULL, campaigns: 3, rounds: 2 }, SMALLEST);
  await using cluster = await startCluster();
  await cluster.withDatabase(async ({ url, db }) => {
    await using service = await startBenchService({ environment: { DATABASE_URL: url, SANDBOX_SPEED: '0' } });
    await report(`drain while ${scale.streams} listen`, () => compare(service, db, scale));
  });
}

async function compare(
  service: Service,
  db: Database,
  { groups, campaigns, rounds, streams, streamsOfSender, others }: Scale,
): Promise<Row[]> {
  const sender = await signUp(service.url, 'sender');
  const ids = await giveGroups(db, groups);
  const rest = await Promise.all(Array.from({ length: others }, (_, index) => signUp(service.url, `other${index}`)));
  const lags: number[] = [];
  const drainWatched = async () => {
    const listeners = await Promise.all(
      Array.from({ length: streams }, (_, index) =>
        listen(index < streamsOfSender ? sender : (rest[index % others] ?? sender)),
      ),
    );
    const perS = await drain(sender, db, ids, campaigns);
    const endedAt = performance.now();
    const own = listeners.slice(0, streamsOfSender);
    await until('the last event', () => own.every((listener) => listener.ends() >= campaigns));
    lags.push(performance.now() - endedAt);
    for (const listener of listeners) listener.leave();
    return perS;
  };
  const found = await measureInTurn(
    { alone: () => drain(sender, db, ids, campaigns), watched: drainWatched },
    { rounds },
  );
  return [
    rateRow(`drain while ${streams} listen`, found.watched, { 'while nobody does': found.alone }, 0.8),
    limitRow(`end of a campaign → ${streamsOfSender} clients know`, median(lags.slice(-rounds)), REACH_LAG_MS),
  ];
}

/** Groups of the first user, which members can be in. */
async function giveGroups(db: Database, groups: number): Promise<number[]> {
  return readColumn<number>(db)`
    with account as (select account_id, workspace_id from accounts order by account_id limit 1), known as (
      insert into sandbox_accounts select account_id, workspace_id from account on conflict do nothing
    ), chat as (
      insert into sandbox_chats (chat_id, workspace_id, kind, name, description, invite_code, participants)
      select '77' || g || '@g.us', workspace_id, 'group', 'Group ' || g, '', gen_random_uuid(), array['15550000001']
      from account, generate_series(1, ${groups}::int) g returning chat_id, workspace_id, name
    )
    insert into groups (workspace_id, chat_id, send_to, kind, name, participants, can_send)
    select workspace_id, chat_id, chat_id, 'group', name, 2, true from chat returning group_id`;
}

/** Deliveries per second from the acceptance of the first campaign to the end of the last. */
async function drain(sender: Client, db: Database, ids: number[], campaigns: number): Promise<number> {
  const startedAt = performance.now();
  for (let index = 0; index < campaigns; index++)
    await sender.call('venom/add-campaign', { name: `Large ${index}`, html: 'Hello', group_metadata_ids: ids });
  await until('the ledger', async () => {
    const rows = await readRows(db)`select from runs where status = 'running' limit 1`;
    return rows.length === 0;
  });
  return (campaigns * ids.length) / ((performance.now() - startedAt) / 1_000);
}

interface Listener {
  /** How many campaigns it has heard end. */
  ends(): number;
  leave(): void;
}

async function listen({ url, token }: Client): Promise<Listener> {
  const leaving = new AbortController();
  const { body, status } = await fetch(`${url}/api/v1/events`, {
    headers: { authorization: `Bearer ${token}` },
    signal: leaving.signal,
  });
  if (status !== 200 || !body) throw new Error(`events answered ${status}`);
  let ends = 0;
  const decoder = new TextDecoder();
  const reading = async () => {
    for await (const piece of body)
      ends += decoder.decode(piece as Uint8Array, { stream: true }).split('"status":"completed"').length - 1;
  };
  void reading().catch((error: unknown) => {
    if (!leaving.signal.aborted) throw error;
  });
  return { ends: () => ends, leave: () => leaving.abort() };
}
