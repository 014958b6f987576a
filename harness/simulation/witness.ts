/** The messaging application of a simulated world: it outlives every process, and drops repeated ids as WhatsApp does. */
import { createHash } from 'node:crypto';
import type {
  MemberEvent,
  RecordEvents,
  Messenger,
  MessengerSession,
  RevisionResult,
  SendResult,
  OnStateChange,
} from '../../src/messengers/messenger.ts';
import { AppError } from '../../src/platform/errors/errors.ts';
import { draw, seededRandom } from '../../test/support/inputs/random.ts';
import { openChats, type Chats } from './chats.ts';
import type { History } from './history.ts';
import type { Line, Receipt } from './line.ts';
import { hashOfOption, OPTION_COUNT, optionOfHash } from './polls.ts';
import { openStandings, type Standings } from './standings.ts';
import { current, freeze, time, type VirtualProcess } from './virtual-time.ts';
import type { AccountId } from '../../src/platform/database/schema.ts';

export interface Chances {
  refuse: number;
  refuseForGood: number;
  /** Accepted, and the caller hears nothing of it. */
  loseAck: number;
  vanish: number;
  offline: number;
  /** Of accepted posts: how often a member tells of it. */
  receipt: number;
  /** Of recorded receipts: how often one is told once more. */
  retell: number;
}

export const KIND: Chances = { refuse: 0, refuseForGood: 0, loseAck: 0, vanish: 0, offline: 0, receipt: 1, retell: 0 };
const NASTY: Chances = {
  refuse: 0.08,
  refuseForGood: 0.03,
  loseAck: 0.08,
  vanish: 0.05,
  offline: 0.03,
  receipt: 0.8,
  retell: 0.1,
};

export interface Witness {
  /** The messenger as a process sees it. */
  messenger: Messenger;
  chances: Chances;
  chats: Chats;
  standings: Standings;
  /** Called when an account has tried to send a post, before the next. */
  onSend: (accountId: number) => void;
  /** Receipts nobody has recorded yet, and actions of members that are still to come. */
  untold(): number;
}

const HOUR_MS = 3_600_000;
/** Where accounts can be down for good. */
const CHANGE_WINDOW = { groupMs: 60 * HOUR_MS, channelMs: 60 * HOUR_MS };

/** The share of campaigns that every group refuses while there are faults. */
const REFUSED_EVERYWHERE = 0.06;

const LATER = (ms: number) => new Promise<void>((resolve) => void setTimeout(resolve, ms));

/**
 * `freezeMs`: for how long the process that is about to send a post stands still; 0: it does not. `staysOpen`: sessions stay open, and hear
 * of each change of their account.
 */
export function openWitness(
  seed: number,
  history: History,
  { freezeMs, staysOpen }: { freezeMs: () => number; staysOpen: boolean },
): Witness {
  const random = seededRandom(seed ^ 0x5eed);
  // Of its own, so that votes move nothing else.
  const ballots = seededRandom(seed ^ 0xba110);
  const accepted = new Set<string>();
  const refused = new Set<string>();
  const chats = openChats(random, history);
  const standings = openStandings(history);
  let unrecorded: MemberEvent[] = [];
  /** By their aliases that are resolved. */
  const members = new Map<string, string>();
  /** Actions of members that are still to come. */
  let coming = 0;
  const watchers = new Set<{ process: VirtualProcess | undefined; record: RecordEvents }>();
  const witness: Witness = {
    messenger: undefined as never,
    chances: NASTY,
    chats,
    standings,
    onSend: () => undefined,
    untold: () => unrecorded.length + coming,
  };

  type To = Parameters<MessengerSession['send']>[1][number];

  /** Some campaigns are refused by each of their groups. */
  function isRefusedEverywhere(text: string): boolean {
    const [name = text] = text.split(',');
    const number = createHash('sha256').update(`${seed} ${name}`).digest().readUInt8();
    return witness.chances.refuseForGood > 0 && number < REFUSED_EVERYWHERE * 256;
  }

  function decideResult(
    to: To,
    { isPoll, ...post }: { text: string; file: string | null; isPoll: boolean },
    at: { accountId: AccountId; arrivedMs: number },
  ): SendResult {
    const { chances } = witness;
    const drawn = random();
    const process = current.getStore()?.name ?? 'nobody';
    const note = (verdict: Extract<Line, { kind: 'send' }>['verdict']) => {
      const { chatId, messageId, uncertain, mentionAll, quote } = to;
      history.add({
        kind: 'send',
        process,
        ...at,
        chatId,
        messageId,
        ...post,
        uncertain,
        ...(mentionAll && { mentionsAll: mentionAll }),
        ...(quote && { quoted: quote.messageId }),
        verdict,
        answeredMs: time.nowMs(),
      });
    };
    if (!chats.isMember(at.accountId, to.chatId)) {
      note('not a member');
      return { kind: 'refused', reason: 'not a member', final: true, isAccessDenied: true };
    }
    if (refused.has(to.messageId) || drawn < chances.refuseForGood || isRefusedEverywhere(post.text)) {
      if (!accepted.has(to.messageId)) {
        refused.add(to.messageId);
        note('refused for good');
        if (isRefusedEverywhere(post.text)) return { kind: 'refused', reason: 'not taken', final: true };
        return { kind: 'refused', reason: 'only admins may post', final: true, isAccessDenied: true };
      }
    }
    if (drawn > 1 - chances.vanish) {
      note('vanished');
      return { kind: 'unknown', reason: 'no answer' };
    }
    if (drawn > 1 - chances.vanish - chances.refuse) {
      note('refused');
      return { kind: 'refused', reason: 'too busy', final: false };
    }
    note(accepted.has(to.messageId) ? 'copy' : 'accepted');
    if (!accepted.has(to.messageId)) {
      haveRead(at.accountId, to);
      if (isPoll) haveVoted(at.accountId, to.messageId);
    }
    accepted.add(to.messageId);
    return random() < chances.loseAck ? { kind: 'unknown', reason: 'no answer' } : { kind: 'sent', recipients: 2 };
  }

  function actLater(waitMs: number, act: () => void): void {
    coming += 1;
    time.at(time.nowMs() + waitMs, () => {
      coming -= 1;
      act();
    });
  }

  async function standStill(): Promise<void> {
    const process = current.getStore();
    const forMs = freezeMs();
    if (!process || forMs === 0) return;
    history.add({ kind: 'froze', process: process.name, forMs });
    freeze(process, forMs);
    // Before the worker sends, or notices that its lease is over, a renewal of the lease may arrive.
    await LATER(random() * 60);
  }

  function haveRead(accountId: AccountId, { chatId, messageId }: To): void {
    if (random() >= witness.chances.receipt) return;
    if (chats.isChannel(accountId, chatId)) return haveSeen(accountId, messageId);
    const kind = random() < 0.5 ? ('read' as const) : ('delivered' as const);
    actLater(5 + random() * 3_000, () => {
      const at = new Date(time.nowMs());
      for (const participant of random() < 0.5 ? ['a'] : ['a', 'b'])
        unrecorded.push({ kind, accountId, messageId, participant, at });
      if (random() < 0.3) haveAnswered(accountId, messageId);
      if (random() < 0.15) haveTwoIds(accountId, messageId, kind);
      // A second receipt: a repetition, as from a phone that was offline, or the one that follows.
      if (random() < 0.3)
        actLater(random() * 3_000, () => {
          const again = random() < 0.5 ? kind : ('read' as const);
          unrecorded.push({ kind: again, accountId, messageId, participant: 'a', at });
        });
    });
  }

  /** Of a channel sums are reported, of which a later one may be older. */
  function haveSeen(accountId: AccountId, messageId: string): void {
    for (let times = random() < 0.5 ? 1 : 2; times > 0; times--)
      actLater(5 + random() * 5_000, () => {
        const [views, reactions] = [1 + Math.floor(random() * 9), Math.floor(random() * 3)];
        unrecorded.push({ kind: 'tally', accountId, messageId, views, reactions, at: new Date(time.nowMs()) });
      });
  }

  function haveAnswered(accountId: AccountId, messageId: string): void {
    const kind = random() < 0.5 ? ('replied' as const) : ('reacted' as const);
    for (const participant of random() < 0.5 ? ['b'] : ['b', 'b', 'c'])
      actLater(random() * 3_000, () => {
        unrecorded.push({ kind, accountId, messageId, participant, at: new Date(time.nowMs()) });
      });
  }

  /** Members vote, change their votes and take them back; later votes may arrive first, and under an alias. */
  function haveVoted(accountId: AccountId, messageId: string): void {
    for (const voter of draw(ballots, ['a', 'b', 'c', 'd'], 1 + Math.floor(ballots() * 4))) {
      const alias = `voter ${voter} of ${messageId}`;
      const hasAlias = ballots() < 0.3;
      for (let times = 1 + Math.floor(ballots() * 3); times > 0; times--) {
        const choices =
          ballots() < 0.1
            ? null
            : draw(ballots, [0, 1, 2], Math.floor(ballots() * (OPTION_COUNT + 1))).map(hashOfOption);
        const isAliased = hasAlias && ballots() < 0.5;
        const votedMs = Math.floor(time.nowMs() + ballots() * 5_000);
        actLater(5 + ballots() * 4_000, () => {
          unrecorded.push({
            kind: 'voted',
            accountId,
            messageId,
            participant: isAliased ? alias : voter,
            isProvisional: isAliased,
            choices,
            votedMs,
            at: new Date(time.nowMs()),
          });
        });
      }
      // After the last vote: from then on the messenger tells of them by this id.
      if (hasAlias)
        actLater(4_006, () => {
          unrecorded.push({ kind: 'same', accountId, participant: voter, alias });
          members.set(alias, voter);
        });
    }
  }

  /** A member is reported under an alias first, and turns out to be one that was, or will be, reported under another id. */
  function haveTwoIds(accountId: AccountId, messageId: string, kind: 'read' | 'delivered'): void {
    const alias = `alias ${messageId}`;
    const participant = random() < 0.5 ? 'a' : 'd';
    unrecorded.push({
      kind,
      accountId,
      messageId,
      participant: alias,
      isProvisional: true,
      at: new Date(time.nowMs()),
    });
    actLater(random() * 3_000, () => {
      unrecorded.push({ kind: 'same', accountId, participant, alias });
      members.set(alias, participant);
      if (random() < 0.5)
        unrecorded.push({ kind: 'read', accountId, messageId, participant, at: new Date(time.nowMs()) });
    });
  }

  function open(accountId: AccountId, onStateChange: OnStateChange): MessengerSession | undefined {
    const ended = Promise.withResolvers<void>();
    if (staysOpen && !standings.attach({ accountId }, onStateChange, ended)) return undefined;
    return {
      async send(post, to, mayGoOn) {
        const results: SendResult[] = [];
        let file;
        try {
          file = post.media && hashFile(await post.media.load());
        } catch {
          return to.map(() => ({ kind: 'offline', reason: 'the file could not be read', cooldownMs: 1_000 }));
        }
        // A worker that is offline or without its lease at one post of a turn stays so for the rest of the turn.
        let isOffline = false;
        let isOver = false;
        for (const one of to) {
          await standStill();
          await LATER(random() * 40);
          isOver ||= !mayGoOn();
          const obstacle = standings.obstacle(accountId);
          if (isOver) results.push({ kind: 'offline', reason: 'the lease ran out', cooldownMs: 0 });
          else if (obstacle) results.push({ kind: 'offline', ...obstacle });
          else if (isOffline || (isOffline = random() < witness.chances.offline)) {
            const process = current.getStore()?.name ?? 'nobody';
            history.add({ kind: 'offline', process, accountId, messageId: one.messageId });
            results.push({ kind: 'offline', reason: 'no network', cooldownMs: 500 });
          } else {
            const arrivedMs = time.nowMs();
            const poll = post.extras?.poll;
            const said = { text: poll?.question ?? post.text, file, isPoll: poll !== undefined };
            const result = decideResult(one, said, { accountId, arrivedMs });
            witness.onSend(accountId);
            await LATER(random() * 80);
            results.push(result);
          }
        }
        return results;
      },
      async revise(change, posts, mayGoOn) {
        const results: RevisionResult[] = [];
        let isOver = false;
        for (const { messageId, chatId } of posts) {
          await LATER(random() * 40);
          const drawn = random();
          let result: RevisionResult = { kind: 'done' };
          isOver ||= !mayGoOn();
          const obstacle = standings.obstacle(accountId);
          if (isOver) result = { kind: 'offline', reason: 'the lease ran out', cooldownMs: 0 };
          else if (obstacle) result = { kind: 'offline', ...obstacle };
          else if (drawn < witness.chances.vanish) result = { kind: 'unknown', reason: 'no answer' };
          else if (!chats.isMember(accountId, chatId))
            result = { kind: 'refused', reason: 'not a member', final: true };
          else if (!accepted.has(messageId)) result = { kind: 'absent', reason: 'no such post' };
          const text = change.kind === 'correct' ? change.post.text : '';
          history.add({ kind: 'change', change: change.kind, accountId, messageId, text, result: result.kind });
          results.push(result);
        }
        return results;
      },
      async listGroups() {
        await LATER(random() * 200);
        const listed = chats.list(accountId);
        await LATER(random() * 100);
        return { chats: listed };
      },
      fetchInviteLink: () => Promise.resolve(null),
      async createGroup({ name }) {
        await LATER(random() * 200);
        history.add({ kind: 'created', accountId, name });
        const chatId = `${name.replaceAll(/\D/g, '')}@g.us`;
        const about = { kind: 'group' as const, name, participants: 1, inviteLink: null, canSend: true };
        chats.add(accountId, { chatId, ...about });
        return { ...about, chatId, sendTo: chatId, createdAt: new Date() };
      },
      createCommunity: () => Promise.reject(new Error('not in this world')),
      createChannel: () => Promise.reject(new Error('not in this world')),
      unlink: () => Promise.resolve(true),
      ended: ended.promise,
      close() {
        ended.resolve();
        return Promise.resolve();
      },
    };
  }

  /** Once an alias is resolved, its member is reported by the true id, as by the real adapter, also for what was reported before. */
  function nameMember(event: MemberEvent): MemberEvent {
    if (event.kind === 'same' || event.kind === 'answered' || !('participant' in event)) return event;
    const member = members.get(event.participant);
    return member === undefined ? event : { ...event, participant: member, isProvisional: false };
  }

  async function recordOne(watcher: { record: RecordEvents }): Promise<void> {
    const events = unrecorded.slice(0, 20);
    if (events.length === 0) return;
    const named = events.map(nameMember);
    await watcher.record(named);
    // Some are told again although they were recorded, as when the process that recorded them ends before it says so.
    const isRetold = random() < witness.chances.retell;
    const told = isRetold ? events.slice(1) : events;
    unrecorded = unrecorded.filter((event) => !told.includes(event));
    history.add({
      kind: 'receipts',
      receipts: named.flatMap((event) =>
        event.kind === 'answered' || event.kind === 'chats_changed' ? [] : [toReceipt(event)],
      ),
    });
  }

  witness.messenger = {
    name: 'sandbox',
    linksAtOnce: true,
    staysOpen,
    // An account that is down for good would never recall its posts.
    ...(staysOpen && { changeWindows: { recall: CHANGE_WINDOW, correct: CHANGE_WINDOW } }),
    open: ({ accountId }, onStateChange) => Promise.resolve(open(accountId, onStateChange)),
    link({ accountId }, _method, onStateChange) {
      standings.change(accountId, 'linked');
      if (!staysOpen) onStateChange({ status: 'connected' });
      const session = open(accountId, onStateChange);
      return session
        ? Promise.resolve(session)
        : Promise.reject(new AppError('messenger_unavailable', 'The number is banned'));
    },
    watchMembers(record) {
      const watcher = { process: current.getStore(), record };
      watchers.add(watcher);
      let isStopped = false;
      let ended = Promise.resolve();
      const look = () => {
        if (isStopped) return;
        // What could not be recorded is told again.
        ended = recordOne(watcher)
          .catch(() => undefined)
          .then(() => void setTimeout(look, 400));
      };
      setTimeout(look, 400);
      return () => {
        isStopped = true;
        return ended;
      };
    },
    forget: () => Promise.resolve(false),
    close: () => Promise.resolve(),
  };
  return witness;
}

/** Returns the SHA-256 of a file, as hex. */
export const hashFile = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

function toReceipt(event: Exclude<MemberEvent, { kind: 'answered' | 'chats_changed' }>): Receipt {
  switch (event.kind) {
    case 'same': {
      const { accountId, participant, alias } = event;
      return { what: 'same', accountId, participant, alias };
    }
    case 'tally': {
      const { messageId, views, reactions } = event;
      return { what: 'viewed', messageId, views: views ?? 0, reactions };
    }
    case 'voted': {
      const { messageId, participant, isProvisional, choices, votedMs } = event;
      const options = choices && choices.map(optionOfHash);
      return { what: 'voted', messageId, participant, options, votedMs, ...(isProvisional && { isProvisional }) };
    }
    default: {
      const { kind, messageId, participant, isProvisional } = event;
      return { what: kind, messageId, participant, ...(isProvisional && { isProvisional }) };
    }
  }
}
