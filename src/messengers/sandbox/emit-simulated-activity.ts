import { execute, readRows, readValue, sql, type RawBuilder } from '../../platform/database/statements.ts';
import type { Connection, Database } from '../../platform/database/statements.ts';
import type { MemberEvent, RecordEvents } from '../messenger.ts';
import { simulateMember, simulateVotes, type Ballot } from './members.ts';
import type { AccountId } from '../../platform/database/schema.ts';

const MESSAGES_PER_STEP = 200;
const EVENTS_PER_STEP = 20_000;
/** The shortest interval between two looks at a message, which is also at least a quarter of its age: events come in batches. */
const COALESCE_MS = 250;
const COALESCE_AGE = 1 / 4;
/** A message is claimed for as long while its events are emitted. After a crash another worker claims it. */
const CLAIM_MS = 30_000;
/** The text of each reply. Each reaction is a 👍. */
const REPLY = 'Please change the last line';

interface ActivityOptions {
  db: Database;
  speed: number;
  record: RecordEvents;
  /** The longest pause, since other processes add messages; a second unless given. */
  restMs?: number;
}

/** The condition that a message has an event to emit. */
export function hasActivity(): RawBuilder<boolean> {
  return sql`exists (select from sandbox_messages where next_activity_at <= campanile_now())`;
}

interface MessageRow {
  chat_id: string;
  account_id: AccountId;
  message_id: string;
  sent_ms: number;
  seen_ms: number;
  now_ms: number;
  is_channel: boolean;
  participants: string[];
  ballot: Ballot | null;
}

/**
 * Emits the events since the last call. Resolves to the milliseconds until the next event. Unrecorded events are emitted again when
 * their claim has expired.
 */
export async function emitSimulatedActivity({ db, speed, record, restMs = 1_000 }: ActivityOptions): Promise<number> {
  const messages = await takeMessages(db);
  const stories = messages.map((message) => ({ message, ...storyOf(message, speed) }));
  const unrecorded = new Set<number>();
  const recordBatch = async (batch: MemberEvent[]) => {
    for (const accountId of (batch.length > 0 && (await record(batch))) || []) unrecorded.add(accountId);
  };
  let batch: MemberEvent[] = [];
  for (const { events } of stories) {
    for (const event of events) batch.push(event);
    if (batch.length >= EVENTS_PER_STEP) {
      await recordBatch(batch);
      batch = [];
    }
  }
  await recordBatch(batch);
  const recorded = stories.filter(({ message }) => !unrecorded.has(message.account_id));
  if (recorded.length > 0) await recordEmitted(db, recorded);
  return messages.length === MESSAGES_PER_STEP ? 0 : nextPollMs(db, restMs);
}

async function takeMessages(db: Connection): Promise<MessageRow[]> {
  return readRows<MessageRow>(db)`
    with due as materialized (
      select chat_id, message_id from sandbox_messages where next_activity_at <= campanile_now()
      order by next_activity_at limit ${MESSAGES_PER_STEP} for update skip locked
    ), taken as (
      update sandbox_messages m set next_activity_at = campanile_now() + ${CLAIM_MS} * interval '1 millisecond'
      from due where m.chat_id = due.chat_id and m.message_id = due.message_id
      returning m.chat_id, m.account_id, m.message_id, m.sent_at, m.seen_until, m.ballot
    )
    select t.chat_id, t.account_id, t.message_id, t.ballot, c.kind = 'channel' as is_channel, c.participants,
           (extract(epoch from t.sent_at) * 1000)::float8 as sent_ms,
           (extract(epoch from t.seen_until) * 1000)::float8 as seen_ms,
           (extract(epoch from campanile_now()) * 1000)::float8 as now_ms
    from taken t join sandbox_chats c on c.chat_id = t.chat_id`;
}

interface Story {
  events: MemberEvent[];
  /** The next event in milliseconds since 1970; null after the last. */
  nextMs: number | null;
}

/** The events of a message since the last emission. */
function storyOf(message: MessageRow, speed: number): Story {
  const events: MemberEvent[] = [];
  let nextMs: number | null = null;
  let views = 0;
  let reactions = 0;
  const { account_id: accountId, message_id: messageId } = message;

  /** Returns the instant of an action if it is past; else it is remembered as one to come. */
  const pastMs = (afterMs: number | null): number | undefined => {
    if (afterMs === null) return undefined;
    const atMs = message.sent_ms + afterMs / speed;
    if (atMs <= message.now_ms) return atMs;
    nextMs = nextMs === null ? atMs : Math.min(nextMs, atMs);
    return undefined;
  };

  const happens = (kind: 'delivered' | 'read' | 'reacted' | 'replied', participant: string, afterMs: number | null) => {
    const atMs = pastMs(afterMs);
    if (atMs === undefined) return;
    if (kind === 'read') views += 1;
    if (kind === 'reacted') reactions += 1;
    if (atMs <= message.seen_ms || message.is_channel) return;
    const at = new Date(atMs);
    events.push({ kind, accountId, messageId, participant, at });
    if (kind !== 'reacted' && kind !== 'replied') return;
    const remark = kind === 'reacted' ? null : REPLY;
    events.push({ kind: 'answered', accountId, messageIds: [messageId], participant, number: participant, remark, at });
  };

  message.participants.forEach((participant, index) => {
    const activity = simulateMember(message.message_id, index);
    happens('delivered', participant, activity.deliveredMs);
    happens('read', participant, activity.readMs);
    happens('reacted', participant, activity.reactedMs);
    happens('replied', participant, activity.repliedMs);
    if (message.ballot && activity.readMs !== null)
      for (const { afterMs, choices } of simulateVotes(message.ballot, messageId, index, activity.readMs)) {
        const atMs = pastMs(afterMs);
        if (atMs === undefined || atMs <= message.seen_ms) continue;
        const votedMs = Math.round(message.sent_ms + afterMs / speed);
        events.push({ kind: 'voted', accountId, messageId, participant, choices, votedMs, at: new Date(atMs) });
      }
  });
  if (message.is_channel)
    events.push({ kind: 'tally', accountId, messageId, views, reactions, at: new Date(message.now_ms) });
  const pauseMs = Math.max(COALESCE_MS, (message.now_ms - message.sent_ms) * COALESCE_AGE);
  return { events, nextMs: nextMs === null ? null : Math.max(nextMs, message.now_ms + pauseMs) };
}

async function recordEmitted(db: Connection, told: ReadonlyArray<Story & { message: MessageRow }>): Promise<void> {
  await execute(db)`
    update sandbox_messages m
    set seen_until = to_timestamp(t.seen_ms / 1000),
        next_activity_at = case when m.recalled_at is null then to_timestamp(t.next_ms / 1000) end
    from unnest(${told.map(({ message }) => message.chat_id)}::text[], ${told.map(({ message }) => message.message_id)}::text[],
                ${told.map(({ message }) => message.now_ms)}::float8[], ${told.map((story) => story.nextMs)}::float8[])
         t (chat_id, message_id, seen_ms, next_ms)
    where m.chat_id = t.chat_id and m.message_id = t.message_id`;
}

async function nextPollMs(db: Connection, restMs: number): Promise<number> {
  const ms = await readValue<number | null>(db)`
    select (extract(epoch from min(next_activity_at) - campanile_now()) * 1000)::float8 as ms
    from sandbox_messages where next_activity_at is not null`;
  return Math.min(restMs, Math.max(20, ms ?? restMs));
}
