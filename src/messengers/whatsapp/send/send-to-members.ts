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
import { REACHOUT_LOCKED, STALE_ADDRESSING, STALE_SESSION } from '../failures.ts';
import { encryptForMembers, type EncryptedForMembers, type ToMembers } from './encrypt-for-members.ts';
import { relay, toResult, type RelayResult } from './relay.ts';
import { NO_LEASE, type Sending } from './sending.ts';

const RETRY_MS = 5_000;

/**
 * Only `unknown` means that the message may have left. If WhatsApp reports that the cached members are stale, they are queried again
 * and the message leaves once more, under its id. Throws OverloadError when too many accounts send to large groups.
 */
export async function sendToMembers(sending: Sending, to: ToMembers & { recipients: number }): Promise<RelayResult> {
  const first = await tryOnce(sending, to);
  return first.isStale ? (await tryOnce(sending, to)).result : first.result;
}

async function tryOnce(
  sending: Sending,
  to: ToMembers & { recipients: number },
): Promise<{ result: RelayResult; isStale: boolean }> {
  const { client, chats, log } = sending;
  let group: Group;
  let encrypted: EncryptedForMembers;
  try {
    group = await chats.group(to.chatId);
    encrypted = await encryptForMembers(sending, group, to);
  } catch (error) {
    chats.invalidateGroup(to.chatId);
    return { result: notEncrypted(sending, to, error), isStale: false };
  }
  try {
    if (!sending.mayGoOn()) return { result: { kind: 'offline', reason: NO_LEASE, cooldownMs: 0 }, isStale: false };
    let code: number | undefined;
    const onRejected = (given: number) => (code = given);
    const result = await relay(sending, { ...to, onRejected }, () => client.sendNode(encrypted.stanza));
    await recordResult(sending, { group, encrypted, code, isSent: result.kind === 'sent' }).catch((error: unknown) => {
      // Then members get the key once more, or send a retry receipt.
      log.warn({ err: error, messageId: to.messageId }, 'the key holders of a group could not be recorded');
    });
    return { result, isStale: code === STALE_SESSION || code === STALE_ADDRESSING };
  } finally {
    encrypted.release();
  }
}

interface Attempt {
  group: Group;
  encrypted: EncryptedForMembers;
  /** The code of WhatsApp's rejection. */
  code: number | undefined;
  isSent: boolean;
}

async function recordResult({ chats, members }: Sending, { group, encrypted, code, isSent }: Attempt): Promise<void> {
  const { keyed, holders } = encrypted;
  if (isSent) {
    if (keyed.length > 0) await members.recordKeyHolders(group.id, holders);
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

/** A query before the post was rejected or not answered, which says nothing about the group itself. */
function notEncrypted(sending: Sending, { messageId }: ToMembers, error: unknown): RelayResult {
  const code = rejectionCodeOf(error);
  if (error instanceof OverloadError || code === REACHOUT_LOCKED) throw error;
  if (code !== undefined) {
    const result = toResult(sending, code);
    return result.kind === 'refused' ? { ...result, final: false } : result;
  }
  sending.log.warn({ err: error, messageId }, 'a post could not be encrypted for its members');
  if (!sending.client.isOpen)
    return { kind: 'offline', reason: 'The connection broke before the post left', cooldownMs: RETRY_MS };
  return { kind: 'refused', reason: 'The members of the group could not be written to', final: false };
}
