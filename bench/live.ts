/** What live progress costs: a large campaign is sent while hundreds listen, and once while nobody does. */
import { readColumn, readRows } from '../src/platform/database/statements.ts';
import type { Database } from '../src/platform/database/connect.ts';
import { removeService, startService, type Service } from '../test/support/service/service.ts';
import { signUp, type Client } from './support/client.ts';
import { startCluster } from './support/cluster.ts';
import { count, median, type Row } from './support/table.ts';
import { until } from './support/until.ts';

const GROUPS = 10_000;
const STREAMS = 500;
/** The remaining streams belong to users without changes. */
const STREAMS_OF_SENDER = 100;
const OTHERS = 8;
const REACH_LAG_MS = 1_000;

export async function benchLive({ quick }: { quick: boolean }): Promise<Row[]> {
  const cluster = await startCluster();
  try {
    return await cluster.withDatabase(async ({ url, db }) => {
      const service = await startService({ environment: { DATABASE_URL: url, SANDBOX_SPEED: '0' } });
      try {
        return await compare(service, db, { campaigns: quick ? 3 : 6, rounds: quick ? 2 : 4 });
      } finally {
        await service.stop();
        await removeService(service);
      }
    });
  } finally {
    await cluster.stop();
  }
}

async function compare(
  service: Service,
  db: Database,
  { campaigns, rounds }: { campaigns: number; rounds: number },
): Promise<Row[]> {
  const sender = await signUp(service.url, 'sender');
  const ids = await giveGroups(db);
  const others = await Promise.all(Array.from({ length: OTHERS }, (_, index) => signUp(service.url, `other${index}`)));
  const alone: number[] = [];
  const watched: number[] = [];
  const lags: number[] = [];
  for (let round = 0; round <= rounds; round++) {
    alone.push(await drain(sender, db, ids, campaigns));
    const listeners = await Promise.all(
      Array.from({ length: STREAMS }, (_, index) =>
        listen(index < STREAMS_OF_SENDER ? sender : (others[index % OTHERS] ?? sender)),
      ),
    );
    watched.push(await drain(sender, db, ids, campaigns));
    const endedAt = performance.now();
    const own = listeners.slice(0, STREAMS_OF_SENDER);
    await until('the last event', () => own.every((listener) => listener.ends() >= campaigns));
    lags.push(performance.now() - endedAt);
    for (const listener of listeners) listener.leave();
    console.log(
      `  round ${round}: ${count(alone.at(-1) ?? 0)}/s alone, ${count(watched.at(-1) ?? 0)}/s watched, the last client ${count(lags.at(-1) ?? 0)} ms later`,
    );
  }
  const [withoutPerS, withPerS, lagMs] = [alone, watched, lags].map((values) => median(values.slice(1)));
  const ratio = (withPerS ?? 0) / (withoutPerS ?? 1);
  return [
    {
      what: `drain while ${STREAMS} listen`,
      ours: `${count(withPerS ?? 0)}/s`,
      yardstick: `while nobody does ${count(withoutPerS ?? 0)}/s`,
      ratio,
      reach: '≥ 0.8',
      reached: ratio >= 0.8,
    },
    {
      what: `end of a campaign → ${STREAMS_OF_SENDER} clients know`,
      ours: `${count(lagMs ?? 0)} ms`,
      yardstick: 'the clock',
      reach: `≤ ${count(REACH_LAG_MS)} ms`,
      reached: (lagMs ?? Infinity) <= REACH_LAG_MS,
    },
  ];
}

/** Groups of the first user, which members can be in. */
async function giveGroups(db: Database): Promise<number[]> {
  return readColumn<number>(db)`
    with account as (select account_id, workspace_id from accounts order by account_id limit 1), known as (
      insert into sandbox_accounts select account_id, workspace_id from account on conflict do nothing
    ), chat as (
      insert into sandbox_chats (chat_id, workspace_id, kind, name, description, invite_code, participants)
      select '77' || g || '@g.us', workspace_id, 'group', 'Group ' || g, '', gen_random_uuid(), array['15550000001']
      from account, generate_series(1, ${GROUPS}::int) g returning chat_id, workspace_id, name
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
