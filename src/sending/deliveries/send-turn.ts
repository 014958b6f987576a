/** Sends one turn through its account's session: one result a delivery, whatever goes wrong. */
import type { Sessions } from '../sessions/sessions.ts';
import type { Log } from '../../platform/log/log.ts';
import type { Destination, MessengerSession, Post, SendResult, QuotedPost } from '../../messengers/messenger.ts';
import type { ClaimedDelivery, Turn } from './claim-turns.ts';
import { recordLeftOut, findInSent, decideMentions } from './decide-mentions.ts';
import type { LoadedPost, Posts } from './load-posts.ts';
import type { SendSuspect } from './send-poison-suspects.ts';
import { execute, readRows, type Connection, type Database } from '../../platform/database/statements.ts';
import { readValues } from '../values/write-values.ts';
import { describeFailure, type Failure } from '../../platform/errors/failures.ts';
import { fileNameOf, plainFileName } from '../../content/media/file-name.ts';
import { extensionOf } from '../../content/media/sniff.ts';
import { STORED_EXTRAS } from '../../content/post/stored-extras.ts';

export interface TurnSending extends Addressing {
  log: Log;
  sessions: Pick<Sessions, 'get'>;
  trySuspect: SendSuspect;
}

const COOLDOWN_WITHOUT_SESSION_MS = 5_000;
const COOLDOWN_WITHOUT_DATABASE_MS = 1_000;
const NOT_READY = { kind: 'offline', reason: 'not ready', cooldownMs: COOLDOWN_WITHOUT_DATABASE_MS } as const;
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
  const { log, sessions, posts } = sending;
  const { accountId } = turn;
  let session, filled;
  try {
    const [open, loaded] = await Promise.all([sessions.get(accountId), posts.get(turn.contentId)]);
    session = open;
    filled = session && (await fillTurn(sending, turn, loaded));
  } catch (error) {
    log.warn({ err: error, accountId }, 'a turn could not be prepared');
    return all(turn, NOT_READY);
  }
  if (!session || !filled)
    return all(turn, { kind: 'offline', reason: 'not linked', cooldownMs: COOLDOWN_WITHOUT_SESSION_MS });
  const { deliveries } = filled;
  const results =
    deliveries.length === 0 ? [] : await sendFilled(sending, { ...turn, deliveries }, { ...filled, session, hooks });
  return turn.deliveries.map(({ position }) => {
    const failure = filled.unfit.get(position);
    return failure ? { kind: 'refused', ...failure, final: true } : (results.shift() ?? LOST);
  });
}

/** What a turn says to each group. */
interface FilledTurn {
  post: Post;
  /** Those that can be sent. */
  deliveries: ClaimedDelivery[];
  /** By position, in the order of the deliveries, of a post with fields. */
  posts: ReadonlyMap<number, Post>;
  /** Why the others cannot, by position. */
  unfit: ReadonlyMap<number, Failure>;
}

/** Costs a query only if the post has fields. Their values were fixed when the run began, so that each attempt says the same. */
async function fillTurn(
  { db, timeZone }: Addressing,
  { deliveries, ...turn }: Turn,
  { post, fields }: LoadedPost,
): Promise<FilledTurn> {
  const filled = new Map<number, Post>();
  const unfit = new Map<number, Failure>();
  if (!fields) return { post, deliveries, posts: filled, unfit };
  const positions = deliveries.map(({ position }) => position);
  const values = await readValues(db, { ...turn, positions }, fields.template, timeZone);
  for (const position of positions) {
    const found = fields.fill(values.get(position) ?? {});
    if ('failure' in found) unfit.set(position, found.failure);
    else filled.set(position, found);
  }
  return { post, deliveries: deliveries.filter(({ position }) => filled.has(position)), posts: filled, unfit };
}

async function sendFilled(
  sending: TurnSending,
  turn: Turn,
  { post, posts, session, hooks }: FilledTurn & { session: MessengerSession; hooks: SendHooks },
): Promise<SendResult[]> {
  const { log, trySuspect } = sending;
  const { accountId } = turn;
  let to: readonly Destination[] | undefined;
  try {
    to = await addressTurn(sending, turn, post);
  } catch (error) {
    log.warn({ err: error, accountId }, 'a turn could not be prepared');
    return all(turn, NOT_READY);
  }
  if (!to) return all(turn, LOST);
  const ready = { session, post, posts, to };
  try {
    return await trySuspect(turn, () => {
      hooks.onBegin();
      return sendNow(sending, turn, { ...ready, ...hooks });
    });
  } catch (error) {
    log.warn({ err: error, accountId }, 'a turn that had been cut off could not be prepared');
    return all(turn, NOT_READY);
  }
}

async function sendNow(
  { log, db }: TurnSending,
  turn: Turn,
  sent: Pick<FilledTurn, 'post' | 'posts'> & { session: MessengerSession; to: readonly Destination[] } & SendHooks,
): Promise<SendResult[]> {
  const { session, post, posts, to, mayGoOn } = sent;
  if (!mayGoOn()) return all(turn, LOST);
  let results;
  try {
    results =
      posts.size === 0
        ? await session.send(post, to, mayGoOn)
        : // Those that are sent at the same time may go together.
          (
            await Promise.all(Array.from(posts.values(), (own, at) => session.send(own, to.slice(at, at + 1), mayGoOn)))
          ).flat();
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
  posts: Posts;
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
  const quotes = extras.replyTo ? await findQuotes(addressing, turn) : new Map<number, QuotedPost>();
  return turn.deliveries.map((delivery) => {
    const quote = quotes.get(delivery.position);
    return { ...delivery, ...(mentioning.has(delivery.position) && { mentionAll: true }), ...(quote && { quote }) };
  });
}

/**
 * The posts that the run of the turn quotes, by position: those that were sent to the same groups before the run began, and not deleted
 * for everyone by then. So each attempt quotes the same.
 */
async function findQuotes(addressing: Addressing, turn: Turn): Promise<Map<number, QuotedPost>> {
  const rows = await readRows<QuotedRow>(addressing.db)`
    select d.position, q.message_id as "messageId", m.mime, o.run_id as "runId", o.content_id as "contentId", q.position as quoted,
           t.template is not null as "hasFields",
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
  const said = await fillQuotes(addressing, turn, rows);
  return new Map(
    said.map(({ position, messageId, text, mime, fileName }) => [position, named({ messageId, text, mime, fileName })]),
  );
}

interface QuotedRow extends QuotedPost {
  position: number;
  /** Of the quoted post. All are of one run. */
  runId: number;
  contentId: number;
  quoted: number;
  hasFields: boolean;
}

/** Quotes posts with fields as their groups got them. */
async function fillQuotes(
  { db, posts, timeZone }: Addressing,
  { workspaceId }: Turn,
  rows: QuotedRow[],
): Promise<QuotedRow[]> {
  const [first] = rows;
  const { fields } = first?.hasFields ? await posts.get(first.contentId) : {};
  if (!first || !fields) return rows;
  const positions = rows.map(({ quoted }) => quoted);
  const values = await readValues(db, { workspaceId, runId: first.runId, positions }, fields.template, timeZone);
  return rows.map((row) => {
    const said = fields.fill(values.get(row.quoted) ?? {});
    if ('failure' in said) return row;
    const { text, extras, media } = said;
    return {
      ...row,
      text: extras?.poll?.question ?? extras?.event?.name ?? text,
      fileName: plainFileName(media?.fileName ?? ''),
    };
  });
}
