/**
 * Sends one message to all members of a group whose devices have keys. The library's own way fails for all members when one device
 * has no keys, so the stanza is built here.
 *
 *   find devices ──► get a permit ──► encrypt ──► leave, be acknowledged ──► record the key holders
 *                                        │                 │
 *                             without keys: left out       └── stale (479, 421): invalidate, and once more
 *
 * Before `relay` nothing has left.
 */
import { OverloadError } from '../../../platform/errors/errors.ts';
import { rejectionCodeOf } from '../client/errors.ts';
import type { Group } from '../client/group.ts';
import { userJidOf, type Jid } from '../client/jid.ts';
import type { Node } from '../client/node.ts';
import { STALE_ADDRESSING, STALE_SESSION } from '../failures.ts';
import { encryptForMembers, type EncryptedForMembers, type ToMembers } from './encrypt-for-members.ts';
import { dropSenderKey } from './renew-sender-key.ts';
import { relay, toResult, type RelayResult } from './relay.ts';
import { addressingOf } from './sender-key.ts';
import { NO_LEASE, type Sending } from './sending.ts';

const RETRY_MS = 5_000;

/**
 * Only `unknown` means that the message may have left. If WhatsApp reports that the cached members are stale, they are queried again
 * and the message leaves once more, under its id. Throws OverloadError when too many accounts send to large groups.
 */
export async function sendToMembers(sending: Sending, to: Addressed): Promise<RelayResult> {
  const first = await tryOnce(sending, to);
  if (first.isStale) return (await tryOnce(sending, to)).result;
  if (first.missed) await repeatForMissed(sending, to, first.missed);
  return first.result;
}

type Addressed = ToMembers & { recipients: number };

interface Tried {
  result: RelayResult;
  /** WhatsApp said that the cached members are stale. */
  isStale: boolean;
  /** WhatsApp knows other devices in the group than the message was encrypted for. */
  missed: Missed | undefined;
}

interface Missed {
  /** The `phash` of the devices that WhatsApp knows. */
  hash: string;
  /** The devices that the message was encrypted for. */
  known: ReadonlySet<Jid>;
}

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

async function leave(sending: Sending, to: Addressed, { group, encrypted }: Prepared): Promise<Tried> {
  const { client, log } = sending;
  try {
    if (!sending.mayGoOn())
      return { result: { kind: 'offline', reason: NO_LEASE, cooldownMs: 0 }, isStale: false, missed: undefined };
    let code: number | undefined;
    let answer: Node['attrs'] = {};
    const onRejected = (given: number) => (code = given);
    const onSent = (attrs: Node['attrs']) => (answer = attrs);
    const result = await relay(sending, { ...to, onRejected, onSent }, () => client.sendNode(encrypted.stanza));
    const isSent = result.kind === 'sent';
    const missed = isSent ? findMissed(sending, { group, encrypted, answer }) : undefined;
    await recordResult(sending, { group, encrypted, code, answer, isSent, isMissed: missed !== undefined }).catch(
      (error: unknown) => {
        // Then members get the key once more, or send a retry receipt.
        log.warn({ err: error, messageId: to.messageId }, 'the key holders of a group could not be recorded');
      },
    );
    return { result, isStale: isStale(code), missed };
  } finally {
    encrypted.release();
  }
}

const isStale = (code: number | undefined) => code === STALE_SESSION || code === STALE_ADDRESSING;

interface Attempt extends Prepared {
  /** The code of WhatsApp's rejection. */
  code: number | undefined;
  /** The attributes of WhatsApp's acknowledgement. */
  answer: Node['attrs'];
  isSent: boolean;
  isMissed: boolean;
}

/** Counts a `phash` that differs. Undefined if there is none, or if another query would not help. */
function findMissed(
  { unresolvedHashes, onDevicesMissed }: Sending,
  { group, encrypted, answer }: Pick<Attempt, 'group' | 'encrypted' | 'answer'>,
): Missed | undefined {
  const { phash: hash } = answer;
  if (hash === undefined || hash === encrypted.participantHash) return undefined;
  onDevicesMissed();
  return unresolvedHashes.has(group.id) ? undefined : { hash, known: encrypted.devices };
}

async function recordResult(sending: Sending, attempt: Attempt): Promise<void> {
  const { chats, members, log } = sending;
  const { group, encrypted, code, answer, isSent, isMissed } = attempt;
  const { addressing_mode: addressing = addressingOf(group) } = answer;
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
  if (error instanceof OverloadError) throw error;
  const code = rejectionCodeOf(error);
  if (code !== undefined) {
    const result = toResult(sending, code);
    return result.kind === 'refused' ? { ...result, final: false } : result;
  }
  sending.log.warn({ err: error, messageId }, 'a post could not be encrypted for its members');
  if (!sending.client.isOpen)
    return { kind: 'offline', reason: 'The connection broke before the post left', cooldownMs: RETRY_MS };
  return { kind: 'refused', reason: 'The members of the group could not be written to', final: false };
}
