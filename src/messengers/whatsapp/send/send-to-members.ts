/**
 * Sends one message to all members of a group whose devices can be written to. The client's own way fails for all of them when one
 * device has no keys, so what leaves is built here.
 *
 *   find devices ──► take a place ──► encrypt ──► leave, be acknowledged ──► note who has the key
 *                                        │                 │
 *                             without keys: left out       └── outdated (479, 421): forget, and once more
 *
 * Before `relay` nothing has left.
 */
import { OverloadError } from '../../../platform/errors/errors.ts';
import { rejectionCodeOf } from '../client/errors.ts';
import type { Group } from '../client/group.ts';
import { STALE_ADDRESSING, STALE_SESSION } from '../failures.ts';
import { encryptForMembers, type EncryptedForMembers, type ToMembers } from './encrypt-for-members.ts';
import { relay, toResult, type RelayResult } from './relay.ts';
import { NO_LEASE, type Sending } from './sending.ts';

const RETRY_MS = 5_000;

/**
 * Nothing but `unknown` means that it may have left. Where WhatsApp says that what was known of the members is outdated, that is
 * asked for anew and the message leaves once more, under its id. `recipients` are told when it is sent. Throws an OverloadError when
 * too many write to large groups.
 */
export async function sendToMembers(sending: Sending, to: ToMembers & { recipients: number }): Promise<RelayResult> {
  const first = await tryOnce(sending, to);
  return first.isOutdated ? (await tryOnce(sending, to)).result : first.result;
}

async function tryOnce(
  sending: Sending,
  to: ToMembers & { recipients: number },
): Promise<{ result: RelayResult; isOutdated: boolean }> {
  const { client, chats, log } = sending;
  let group: Group;
  let encrypted: EncryptedForMembers;
  try {
    group = await chats.group(to.chatId);
    encrypted = await encryptForMembers(sending, group, to);
  } catch (error) {
    chats.forgetGroup(to.chatId);
    return { result: notEncrypted(sending, to, error), isOutdated: false };
  }
  try {
    if (!sending.mayGoOn()) return { result: { kind: 'offline', reason: NO_LEASE, cooldownMs: 0 }, isOutdated: false };
    let code: number | undefined;
    const onRejected = (given: number) => (code = given);
    const result = await relay(sending, { ...to, onRejected }, () => client.sendNode(encrypted.stanza));
    await recordResult(sending, { group, encrypted, code, isSent: result.kind === 'sent' }).catch((error: unknown) => {
      // Then members get the key once more, or ask for it.
      log.warn({ err: error, messageId: to.messageId }, 'what a post showed about its members was not noted');
    });
    return { result, isOutdated: code === STALE_SESSION || code === STALE_ADDRESSING };
  } finally {
    encrypted.release();
  }
}

interface Left {
  group: Group;
  encrypted: EncryptedForMembers;
  /** Of WhatsApp's refusal. */
  code: number | undefined;
  isSent: boolean;
}

async function recordResult({ chats, members }: Sending, { group, encrypted, code, isSent }: Left): Promise<void> {
  const { keyed, holders } = encrypted;
  if (isSent) {
    if (keyed.length > 0) await members.recordKeyHolders(group.id, holders);
    return;
  }
  chats.forgetGroup(group.id);
  if (code !== STALE_SESSION && code !== STALE_ADDRESSING) return;
  // All get the key anew, and those that it went to are written to anew, should it be they.
  const doubted = new Set(code === STALE_SESSION ? keyed.map(({ member }) => member) : []);
  await members.recordKeyHolders(group.id, null);
  await members.change(
    group.participants.map(({ id }) => id),
    (member, jid) => member && { ...member, askAgainAtMs: 0, isStale: member.isStale || doubted.has(jid) },
  );
}

/** A question that comes before the post was refused or not answered: it says nothing about the group itself. */
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
