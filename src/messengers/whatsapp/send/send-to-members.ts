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
import type { Client } from '../client/client.ts';
import type { Group } from '../client/group.ts';
import { userJidOf } from '../client/jid.ts';
import type { Node } from '../client/node.ts';
import { STALE_ADDRESSING, STALE_SESSION } from '../failures.ts';
import { encryptForMembers, type EncryptedForMembers, type ToMembers } from './encrypt-for-members.ts';
import { relay, toResult, type RelayResult } from './relay.ts';
import { addressingOf } from './sender-key.ts';
import { NO_LEASE, type Sending } from './sending.ts';

const RETRY_MS = 5_000;

/**
 * Only `unknown` means that the message may have left. If WhatsApp reports that the cached members are stale, they are queried again
 * and the message leaves once more, under its id. Throws OverloadError when too many accounts send to large groups.
 */
export async function sendToMembers(sending: Sending, to: ToMembers & { recipients: number }): Promise<RelayResult> {
  const first = await tryOnce(sending, to);
  if (first.isStale) return (await tryOnce(sending, to)).result;
  if (first.otherHash !== undefined) await repeatForMissed(sending, to, first.otherHash);
  return first.result;
}

/** The post has arrived; devices that have it drop the repeat. It is not repeated where no new device turns up. */
async function repeatForMissed(
  sending: Sending,
  to: ToMembers & { recipients: number },
  otherHash: string,
): Promise<void> {
  const repeated = await tryOnce(sending, to, otherHash);
  // A device list that WhatsApp does not give out would cost all queries again with each post.
  if (repeated.otherHash !== undefined) sending.unresolvedHashes.set(to.chatId, true);
}

interface Tried {
  result: RelayResult;
  /** WhatsApp said that the cached members are stale. */
  isStale: boolean;
  /** WhatsApp's `phash` if it differs: it knows other devices in the group than the post was encrypted for. */
  otherHash: string | undefined;
}

async function tryOnce(sending: Sending, to: ToMembers & { recipients: number }, missedHash?: string): Promise<Tried> {
  const { client, chats, log } = sending;
  let group: Group;
  let encrypted: EncryptedForMembers;
  try {
    group = await chats.group(to.chatId);
    encrypted = await encryptForMembers(sending, group, to);
  } catch (error) {
    chats.invalidateGroup(to.chatId);
    return { result: notEncrypted(sending, to, error), isStale: false, otherHash: undefined };
  }
  try {
    const hasNew = missedHash === undefined || encrypted.keyed.some(({ member }) => !isOwn(client, member));
    if (!hasNew || !sending.mayGoOn()) {
      const otherHash = encrypted.participantHash === missedHash ? undefined : missedHash;
      return { result: { kind: 'offline', reason: NO_LEASE, cooldownMs: 0 }, isStale: false, otherHash };
    }
    let code: number | undefined;
    let answer: Node['attrs'] = {};
    const onRejected = (given: number) => (code = given);
    const onSent = (attrs: Node['attrs']) => (answer = attrs);
    const result = await relay(sending, { ...to, onRejected, onSent }, () => client.sendNode(encrypted.stanza));
    const isMissed = differs(answer['phash'], encrypted.participantHash) && !sending.unresolvedHashes.has(group.id);
    const otherHash = isMissed ? answer['phash'] : undefined;
    await recordResult(sending, { group, encrypted, code, answer, isSent: result.kind === 'sent' }).catch(
      (error: unknown) => {
        // Then members get the key once more, or send a retry receipt.
        log.warn({ err: error, messageId: to.messageId }, 'the key holders of a group could not be recorded');
      },
    );
    return { result, isStale: code === STALE_SESSION || code === STALE_ADDRESSING, otherHash };
  } finally {
    encrypted.release();
  }
}

interface Attempt {
  group: Group;
  encrypted: EncryptedForMembers;
  /** The code of WhatsApp's rejection. */
  code: number | undefined;
  /** The attributes of WhatsApp's acknowledgement. */
  answer: Node['attrs'];
  isSent: boolean;
}

async function recordResult(sending: Sending, attempt: Attempt): Promise<void> {
  const { chats, members } = sending;
  const { group, encrypted, code, answer, isSent } = attempt;
  const { keyed, holders } = encrypted;
  if (isSent) {
    if (keyed.length > 0) await members.recordKeyHolders(group.id, holders);
    if (differs(answer['addressing_mode'], addressingOf(group))) chats.invalidateGroup(group.id);
    if (differs(answer['phash'], encrypted.participantHash)) await forgetDevices(sending, group);
    return;
  }
  chats.invalidateGroup(group.id);
  if (code !== STALE_SESSION && code !== STALE_ADDRESSING) return;
  // All devices get the sender key again. After 479, the devices that this message brought it to also get new sessions.
  const doubted = new Set(code === STALE_SESSION ? keyed.map(({ member }) => member) : []);
  await members.recordKeyHolders(group.id, null);
  await members.change(
    group.participants.map(({ id }) => id),
    (member, jid) => member && { ...member, askAgainAtMs: 0, isStale: member.isStale || doubted.has(jid) },
  );
}

const differs = (said: string | undefined, expected: string) => said !== undefined && said !== expected;

const isOwn = ({ me }: Client, member: string) => [me?.id, me?.lid].some((jid) => userJidOf(jid) === member);

/** Members or devices have changed without a report: all are queried again. At most once an hour if that does not help. */
async function forgetDevices({ chats, members, log, onDevicesMissed, unresolvedHashes }: Sending, group: Group) {
  onDevicesMissed();
  if (unresolvedHashes.has(group.id)) return;
  log.info({ chatId: group.id }, 'WhatsApp knows other devices in a group than its post was encrypted for');
  chats.invalidateGroup(group.id);
  await members.change(
    group.participants.map(({ id }) => id),
    (member) => member && { ...member, askAgainAtMs: 0 },
  );
}

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
