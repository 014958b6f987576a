/** Sends one turn through its account's session: one result a delivery, whatever goes wrong. */
import type { Sessions } from '../sessions/sessions.ts';
import type { Log } from '../../platform/log/log.ts';
import type { Destination, MessengerSession, Post, SendResult, QuotedPost } from '../../messengers/messenger.ts';
import type { Turn } from './claim-turns.ts';
import { recordLeftOut, findInSent, decideMentions } from './decide-mentions.ts';
import type { Posts } from './load-posts.ts';
import type { SendSuspect } from './send-poison-suspects.ts';
import { execute, readRows, type Connection, type Database } from '../../platform/database/statements.ts';
import { describeFailure } from '../../platform/errors/failures.ts';
import { fileNameOf } from '../../content/media/file-name.ts';
import { extensionOf } from '../../content/media/sniff.ts';
import { STORED_EXTRAS } from '../../content/post/stored-extras.ts';

export interface TurnSending extends Addressing {
  log: Log;
  sessions: Pick<Sessions, 'get'>;
  posts: Posts;
  trySuspect: SendSuspect;
}

const COOLDOWN_WITHOUT_SESSION_MS = 5_000;
const COOLDOWN_WITHOUT_DATABASE_MS = 1_000;
const LOST = { kind: 'offline', reason: 'the lease ran out', cooldownMs: 0 } as const;

export interface SendHooks {
  /** Whether the account is still this worker's, as it was when the turn was claimed. */
  mayGoOn: () => boolean;
  /** Called right before `session.send`: until then nothing can have left. */
  onBegin: () => void;
}

const GONE = { kind: 'refused', ...describeFailure('no_member_left'), final: true } as const;

/** Posts to groups that are gone are not attempted. Never rejects. */
export async function sendTurn(sending: TurnSending, turn: Turn, hooks: SendHooks): Promise<SendResult[]> {
  const deliveries = turn.deliveries.filter(({ isGone }) => !isGone);
  if (deliveries.length === turn.deliveries.length) return sendPresent(sending, turn, hooks);
  const results = deliveries.length === 0 ? [] : await sendPresent(sending, { ...turn, deliveries }, hooks);
  return turn.deliveries.map(({ isGone }) => (isGone ? GONE : (results.shift() ?? LOST)));
}

async function sendPresent(sending: TurnSending, turn: Turn, hooks: SendHooks): Promise<SendResult[]> {
  const { log, sessions, posts, trySuspect } = sending;
  const { accountId } = turn;
  const notReady = () => all(turn, { kind: 'offline', reason: 'not ready', cooldownMs: COOLDOWN_WITHOUT_DATABASE_MS });
  let session, post, to;
  try {
    [session, post] = await Promise.all([sessions.get(accountId), posts.get(turn.contentId)]);
    to = session && (await addressTurn(sending, turn, post));
  } catch (error) {
    log.warn({ err: error, accountId }, 'a turn could not be prepared');
    return notReady();
  }
  if (!session) return all(turn, { kind: 'offline', reason: 'not linked', cooldownMs: COOLDOWN_WITHOUT_SESSION_MS });
  if (!to) return all(turn, LOST);
  const ready = { session, post, to };
  try {
    return await trySuspect(turn, () => {
      hooks.onBegin();
      return sendNow(sending, turn, { ...ready, ...hooks });
    });
  } catch (error) {
    log.warn({ err: error, accountId }, 'a turn that had been cut off could not be prepared');
    return notReady();
  }
}

async function sendNow(
  { log, db }: TurnSending,
  turn: Turn,
  { session, post, to, mayGoOn }: { session: MessengerSession; post: Post; to: readonly Destination[] } & SendHooks,
): Promise<SendResult[]> {
  if (!mayGoOn()) return all(turn, LOST);
  let results;
  try {
    results = await session.send(post, to, mayGoOn);
  } catch (error) {
    log.warn({ err: error, accountId: turn.accountId }, 'a send broke off, its outcome is unknown');
    return all(turn, { kind: 'unknown', ...describeFailure('connection_broke') });
  }
  try {
    await recordLeftOut(db, turn, results);
    await recordWithoutDevices(db, turn, results);
  } catch (error) {
    log.warn({ err: error, accountId: turn.accountId }, 'what posts left without could not be recorded');
  }
  return results;
}

function all(turn: Turn, result: SendResult): SendResult[] {
  return turn.deliveries.map(() => result);
}

/** Records how many members the posts of a turn left out, because the messaging application tells no device of theirs. */
async function recordWithoutDevices(db: Connection, turn: Turn, results: readonly SendResult[]): Promise<void> {
  const left = findInSent(turn, results, ({ withoutDevices }) => withoutDevices || undefined);
  if (left.length === 0) return;
  const { workspaceId, runId } = turn;
  await execute(db)`
    insert into members_without_devices (workspace_id, run_id, position, members)
    select ${workspaceId}, ${runId}, position, members
    from unnest(${left.map(({ position }) => position)}::int[], ${left.map(({ found }) => found)}::int[]) i (position, members)
    on conflict (workspace_id, run_id, position) do update set members = excluded.members`;
}

export interface Addressing {
  db: Database;
  /** IANA, the installation's. */
  timeZone: string;
}

/**
 * Returns the destinations of the turn, in the order of its deliveries. Costs a query only if the post mentions everybody or quotes
 * another. Undefined if the turn was lost.
 */
export async function addressTurn(
  addressing: Addressing,
  turn: Turn,
  { extras }: Post,
): Promise<readonly Destination[] | undefined> {
  if (!extras?.mentionAll && !extras?.replyTo) return turn.deliveries;
  const mentioning = extras.mentionAll ? await decideMentions(addressing, turn) : new Set<number>();
  if (!mentioning) return undefined;
  const quotes = extras.replyTo ? await findQuotes(addressing.db, turn) : new Map<number, QuotedPost>();
  return turn.deliveries.map((delivery) => {
    const quote = quotes.get(delivery.position);
    return { ...delivery, ...(mentioning.has(delivery.position) && { mentionAll: true }), ...(quote && { quote }) };
  });
}

/**
 * The posts that the run of the turn quotes, by position: those that were sent to the same groups before the run began, and not deleted
 * for everyone by then. So each attempt quotes the same.
 */
async function findQuotes(db: Connection, turn: Turn): Promise<Map<number, QuotedPost>> {
  const rows = await readRows<QuotedPost & { position: number }>(db)`
    select d.position, q.message_id as "messageId", m.mime,
           coalesce(t.extras -> 'poll' ->> 'question', t.extras -> 'event' ->> 'name', t.text) as text, coalesce((${STORED_EXTRAS}) ->> 'fileName', '') as "fileName"
    from runs r
    join runs o on o.workspace_id = r.workspace_id and o.run_id = r.reply_run_id
    join contents t on t.content_id = o.content_id
    left join media m on m.media_id = t.media_id
    join deliveries d on d.workspace_id = r.workspace_id and d.run_id = r.run_id
      and d.position = any(${turn.deliveries.map(({ position }) => position)}::int[])
    cross join lateral (
      select * from deliveries e
      where e.workspace_id = o.workspace_id and e.run_id = o.run_id and e.position = array_position(t.group_ids, d.group_id)
      limit 1) q
    where r.workspace_id = ${turn.workspaceId} and r.run_id = ${turn.runId} and q.status = 'sent' and q.sent_at < r.started_at
      -- Of a post of another account it is not known under which id this one knows its sender.
      and q.account_id = d.account_id
      and not exists (
        select from revisions v
        where v.workspace_id = q.workspace_id and v.run_id = q.run_id and v.position = q.position and v.recalled_at < r.started_at)`;
  const named = (quote: QuotedPost) =>
    quote.mime === null ? quote : { ...quote, fileName: fileNameOf(quote.fileName, extensionOf(quote.mime)) };
  return new Map(rows.map(({ position, ...quote }) => [position, named(quote)]));
}
