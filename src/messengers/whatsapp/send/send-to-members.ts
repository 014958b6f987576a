/**
 * Sends one message to all members of a group whose devices have keys. The library's own way fails for all members when one device
 * has no keys, so the stanza is built here.
 *
 *   find devices ──► get a permit ──► encrypt ──► leave, be acknowledged ──► record the key holders
 *                                        │                 │
 *                             without keys: left out       ├── stale (479, 421): invalidate, and once more
 *                                                          ├── another `phash`: invalidate, and once more for the missed devices
 *                                                          └── late: no other message to the group until then
 *
 * Before `relay` nothing has left.
 */
import { OverloadError } from '../../../platform/errors/errors.ts';
import { describeFailure } from '../../../platform/errors/failures.ts';
import type { SendResult } from '../../messenger.ts';
import type { PendingAck } from '../client/client.ts';
import { rejectionCodeOf } from '../client/errors.ts';
import type { Group } from '../client/group.ts';
import { userJidOf } from '../client/jid.ts';
import type { Node } from '../client/node.ts';
import { REACHOUT_LOCKED, STALE_ADDRESSING, STALE_SESSION } from '../failures.ts';
import { encryptForMembers, type EncryptedForMembers, type ToMembers } from './encrypt-for-members.ts';
import { dropSenderKey } from './renew-sender-key.ts';
import { readAck, relay, toResult, type Relayed, type RelayResult } from './relay.ts';
import { addressingOf } from './sender-key.ts';
import { NO_LEASE, type Missed, type Sending, type Tried, type Unanswered } from './sending.ts';

const RETRY_MS = 5_000;

/**
 * Only `unknown` means that the message may have left. If WhatsApp reports that the cached members are stale, they are queried again
 * and the message leaves once more, under its id. `later`: an earlier message to the group may still be acknowledged. Throws
 * OverloadError when too many accounts send to large groups.
 */
export async function sendToMembers(sending: Sending, to: Addressed): Promise<SendResult> {
  const { unanswered } = sending;
  const before = unanswered.get(to.chatId);
  if (before && !before.tried) return { kind: 'later', ...describeFailure('may_be_acknowledged'), waitMs: RETRY_MS };
  unanswered.delete(to.chatId);
  const first = before?.messageId === to.messageId && before.tried ? before.tried : await tryOnce(sending, to);
  if (first.isStale) return (await tryOnce(sending, to)).result;
  if (first.missed) await repeatForMissed(sending, to, first.missed);
  return first.result;
}

type Addressed = ToMembers & { recipients: number };

async function tryOnce(sending: Sending, to: Addressed): Promise<Tried> {
  const prepared = await prepare(sending, to);
  return 'kind' in prepared
    ? { result: prepared, isStale: false, missed: undefined }
    : await leave(sending, to, prepared);
}

/** Another distribution of the key under the same id, if there are new devices. Those that have the post drop the repeat. */
async function repeatForMissed(sending: Sending, to: Addressed, { hash, known }: Missed): Promise<void> {
  const { log, unresolvedHashes } = sending;
  const prepared = await prepare(sending, to).catch((error: unknown) => {
    log.info({ err: error, messageId: to.messageId }, 'missed devices get the key with the next post');
    return undefined;
  });
  if (!prepared || 'kind' in prepared) return;
  const { encrypted } = prepared;
  let isResolved = encrypted.participantHash === hash;
  if (encrypted.keyed.some(({ jid }) => !known.has(jid))) {
    isResolved = !(await leave(sending, to, prepared)).missed;
  } else encrypted.release();
  // A device list that WhatsApp does not give out would cost all queries again with each post.
  if (!isResolved) unresolvedHashes.set(to.chatId, true);
}

interface Prepared {
  group: Group;
  encrypted: EncryptedForMembers;
}

/** Nothing has left when it resolves to a result. Throws OverloadError. */
async function prepare(sending: Sending, to: Addressed): Promise<Prepared | RelayResult> {
  const { chats } = sending;
  try {
    const group = await chats.group(to.chatId);
    return { group, encrypted: await encryptForMembers(sending, group, to) };
  } catch (error) {
    chats.invalidateGroup(to.chatId);
    return notEncrypted(sending, to, error);
  }
}

async function leave(sending: Sending, to: Addressed, prepared: Prepared): Promise<Tried> {
  const { client } = sending;
  const { encrypted } = prepared;
  try {
    if (!sending.mayGoOn())
      return { result: { kind: 'offline', reason: NO_LEASE, cooldownMs: 0 }, isStale: false, missed: undefined };
    const answer: Answer = { code: undefined, attrs: {} };
    const relayed: Relayed = {
      ...to,
      onRejected: (code) => (answer.code = code),
      onSent: (attrs) => (answer.attrs = attrs),
    };
    if (encrypted.holders)
      relayed.onUnanswered = (pending) => void awaitLateAck(sending, to, { prepared, relayed, answer, pending });
    const result = await relay(sending, relayed, () => client.sendNode(encrypted.stanza));
    return await conclude(sending, to, { ...prepared, answer, result });
  } finally {
    encrypted.release();
  }
}

/**
 * Until the acknowledgement has come or is too late, no message distributes the sender key to the group again. If it never comes on
 * a connection that stays open, WhatsApp has the message nevertheless: stanzas arrive in order, and later ones were answered. The
 * devices then count as holders. Never rejects.
 */
async function awaitLateAck(
  sending: Sending,
  to: Addressed,
  late: { prepared: Prepared; relayed: Relayed; answer: Answer; pending: PendingAck },
): Promise<void> {
  const { client, members, unanswered, answerMs, lateAckMs, log } = sending;
  const { prepared, relayed, answer, pending } = late;
  const { holders } = prepared.encrypted;
  const waiting: Unanswered = { messageId: to.messageId, tried: undefined };
  unanswered.set(to.chatId, waiting);
  try {
    const node = await pending.within(Math.max(0, lateAckMs - answerMs));
    const result = node && readAck(sending, relayed, node);
    const tried = result && (await conclude(sending, to, { ...prepared, answer, result }));
    // A cool-down has begun. The message leaves again after it.
    if (result?.kind !== 'offline') waiting.tried = tried;
    if (!node && client.isOpen && holders) await members.recordKeyHolders(to.chatId, holders);
  } catch (error) {
    log.warn({ err: error, messageId: to.messageId }, 'the key holders of a group could not be recorded');
  } finally {
    pending.stop();
    if (!waiting.tried) unanswered.delete(to.chatId);
  }
}

interface Answer {
  /** The code of WhatsApp's rejection. */
  code: number | undefined;
  /** The attributes of WhatsApp's acknowledgement. */
  attrs: Node['attrs'];
}

interface Attempt extends Prepared {
  answer: Answer;
  result: RelayResult;
}

async function conclude(sending: Sending, to: Addressed, attempt: Attempt): Promise<Tried> {
  const { result, answer } = attempt;
  const missed = result.kind === 'sent' ? findMissed(sending, attempt) : undefined;
  await recordResult(sending, attempt, missed !== undefined).catch((error: unknown) => {
    // Then members get the key once more, or send a retry receipt.
    sending.log.warn({ err: error, messageId: to.messageId }, 'the key holders of a group could not be recorded');
  });
  const { withoutDevices } = attempt.encrypted;
  return {
    result: result.kind === 'sent' && withoutDevices > 0 ? { ...result, withoutDevices } : result,
    isStale: isStale(answer.code),
    missed,
  };
}

const isStale = (code: number | undefined) => code === STALE_SESSION || code === STALE_ADDRESSING;

/** Counts a `phash` that differs. Undefined if there is none, or if another query would not help. */
function findMissed(
  { unresolvedHashes, onDevicesMissed }: Sending,
  { group, encrypted, answer }: Attempt,
): Missed | undefined {
  const { phash: hash } = answer.attrs;
  if (hash === undefined || hash === encrypted.participantHash) return undefined;
  onDevicesMissed();
  return unresolvedHashes.has(group.id) ? undefined : { hash, known: encrypted.devices };
}

async function recordResult(sending: Sending, attempt: Attempt, isMissed: boolean): Promise<void> {
  const { chats, members, log } = sending;
  const { group, encrypted, answer, result } = attempt;
  const { code, attrs } = answer;
  const { addressing_mode: addressing = addressingOf(group) } = attrs;
  const isSent = result.kind === 'sent';
  if (!isSent || isMissed || addressing !== addressingOf(group)) chats.invalidateGroup(group.id);
  if (isSent && encrypted.holders) await members.recordKeyHolders(group.id, encrypted.holders);
  if (isMissed) {
    log.info({ chatId: group.id }, 'WhatsApp knows other devices in a group than its post was encrypted for');
    await members.change(idsOf(group), (member) => member && { ...member, askAgainAtMs: 0 });
  }
  if (!isStale(code)) return;
  // All devices get another sender key. After 479, the devices that this message brought it to also get new sessions.
  const doubted = new Set(code === STALE_SESSION ? encrypted.keyed.map(({ member }) => member) : []);
  await dropSenderKey(sending, group, await members.keyHolders(group.id));
  await members.change(
    idsOf(group),
    (member, jid) => member && { ...member, askAgainAtMs: 0, isStale: member.isStale || doubted.has(jid) },
  );
}

const idsOf = ({ participants }: Group) => participants.map(({ id }) => userJidOf(id));

/** A query before the post was rejected or not answered, which says nothing about the group itself. */
function notEncrypted(sending: Sending, { messageId }: ToMembers, error: unknown): RelayResult {
  const code = rejectionCodeOf(error);
  if (error instanceof OverloadError || code === REACHOUT_LOCKED) throw error;
  if (code !== undefined) {
    const result = toResult(sending, code);
    if (result.kind !== 'refused') return result;
    const { isAccessDenied: _isAccessDenied, ...refusal } = result;
    return { ...refusal, final: false };
  }
  sending.log.warn({ err: error, messageId }, 'a post could not be encrypted for its members');
  if (!sending.client.isOpen)
    return { kind: 'offline', reason: 'The connection broke before the post left', cooldownMs: RETRY_MS };
  return { kind: 'refused', ...describeFailure('members_not_reached'), final: false };
}
