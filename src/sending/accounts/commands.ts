/**
 * What the API asks of a live session goes through the table `account_commands`: written by the api, begun once by the worker
 * that holds the account's lease, awaited by the api. The same way also when both are one process.
 */
import { execute, hasRow, readOne, readRow } from '../../platform/database/statements.ts';
import type { Connection, Database } from '../../platform/database/statements.ts';
import type { Notifications } from '../../platform/database/listen.ts';
import { notifyAfterCommit } from '../../platform/database/notify-after-commit.ts';
import type { ErrorCode } from '../../platform/errors/error-codes.ts';
import { AppError, type FieldError } from '../../platform/errors/errors.ts';
import { sleep } from '../../platform/time/time.ts';
import type {
  Incident,
  LinkMethod,
  MessengerGroup,
  NewCommunity,
  NotAdded,
  PasskeyAssertion,
} from '../../messengers/messenger.ts';
import { countCreatedGroups } from '../../workspaces/quotas/quotas.ts';
import { accountNotFoundError } from './store.ts';
import type { AccountId } from '../../platform/database/schema.ts';

export type { NotAdded };

/** Each command: what goes in, what comes out. Both travel as JSON. */
export interface Commands {
  connect: { input: { method: LinkMethod | 'retry' }; result: Record<never, never> };
  submit_passkey: { input: { assertion: PasskeyAssertion }; result: Record<never, never> };
  disconnect: { input: Record<never, never>; result: Record<never, never> };
  simulate: { input: Incident; result: Record<never, never> };
  list_groups: { input: { knownChannels: string[] }; result: StoredChatList };
  create_group: { input: { name: string; participants: string[] }; result: StoredGroup & { notAdded?: NotAdded[] } };
  create_community: { input: NewCommunity; result: StoredGroup };
  get_invite_link: { input: { chatId: string }; result: { inviteLink: string | null } };
  create_channel: { input: { name: string; description: string; pictureMediaId: number | null }; result: StoredGroup };
}
export type CommandKind = keyof Commands;

/** A messenger's group as JSON carries it. */
export type StoredGroup = Omit<MessengerGroup, 'createdAt'> & { createdAt: string };

/** A messenger's list of chats as JSON carries it. */
export interface StoredChatList {
  chats: StoredGroup[];
  areChannelsUnread: boolean;
}

/** Why a command failed, as JSON carries an AppError. */
export interface StoredFailure {
  code: ErrorCode;
  message: string;
  details: readonly FieldError[];
  outcomeUnknown: boolean;
}

/** How many groups, communities and channels an account may create in 24 hours. */
export interface CreationLimit {
  perDay: number;
  /** A new number has a lower limit. Default is `false`. */
  isOfWarmUp?: boolean;
}

/** How long the api waits for a worker to answer. */
export const COMMAND_WAIT_MS = 25_000;
const POLL_MS = 250;

export interface CommandWaiters {
  /** Resolves when the command may have ended, or after `ms`. */
  wait(commandId: number, ms: number): Promise<void>;
}

/** Wakes the waiters of a command when the notification of its result arrives. */
export function awaitCommandResults(notifications: Notifications): CommandWaiters {
  const waiting = new Map<number, AbortController>();
  notifications.on('campanile_results', (payload) => waiting.get(Number(payload))?.abort());
  return {
    async wait(commandId, ms) {
      const hint = new AbortController();
      waiting.set(commandId, hint);
      await sleep(ms, hint.signal);
      waiting.delete(commandId);
    },
  };
}

/**
 * Asks the account's session to do something and waits for it. Throws what the session threw; 503 when no worker took the
 * command in time (it is then withdrawn and never carried out), or took it and has not answered: what came of it is unknown. Of those that
 * create something there are `limit.perDay` in 24 hours, tries that are under way among them; then 429, and nothing was asked.
 */
export async function runCommand<K extends CommandKind>(
  { db, waiters }: { db: Database; waiters: CommandWaiters },
  accountId: AccountId,
  kind: K,
  input: Commands[K]['input'],
  limit?: CreationLimit,
): Promise<Commands[K]['result']> {
  const commandId = await insertCommand(db, accountId, { kind, input: JSON.stringify(input), limit });
  const deadline = performance.now() + COMMAND_WAIT_MS;
  while (performance.now() < deadline) {
    await waiters.wait(commandId, POLL_MS);
    const ended = await readRow<{ status: string; result: unknown }>(db)`
      select status, result from account_commands where command_id = ${commandId}`;
    // The user and all that was theirs has been deleted meanwhile.
    if (!ended) throw accountNotFoundError('account_id');
    if (ended.status === 'done') return ended.result as Commands[K]['result'];
    if (ended.status === 'failed') throw toError(ended.result as StoredFailure);
  }
  const withdrawn = await execute(db)`
    update account_commands set status = 'abandoned', finished_at = campanile_now()
    where command_id = ${commandId} and status = 'queued'`;
  const outcomeUnknown = withdrawn === 0;
  throw new AppError(
    outcomeUnknown ? 'outcome_unknown' : 'account_not_connected',
    outcomeUnknown
      ? 'The messaging application has not answered, so the outcome is unknown. Sync your groups to see what exists.'
      : 'Your account is not connected at the moment. Nothing was done. Try again in a moment.',
    { retryAfterSeconds: 5, outcomeUnknown },
  );
}

async function insertCommand(
  db: Database,
  accountId: AccountId,
  { kind, input, limit }: { kind: CommandKind; input: string; limit: CreationLimit | undefined },
): Promise<number> {
  return db.transaction().execute(async (trx) => {
    // The account stays until the transaction ends, unless it was removed since it was read.
    const isThere = await hasRow(trx)`
      select from accounts where account_id = ${accountId} and removed_at is null for key share`;
    if (!isThere) throw accountNotFoundError('account_id');
    if (limit) await enforceCreationLimit(trx, accountId, limit);
    const { commandId } = await readOne<{ commandId: number }>(trx)`
      insert into account_commands (account_id, kind, input) values (${accountId}, ${kind}, ${input}::jsonb)
      returning command_id as "commandId"`;
    await notifyAfterCommit(trx, 'campanile_commands');
    return commandId;
  });
}

const DAY_SECONDS = 24 * 60 * 60;

/** Of two that come at once the second waits, and counts the first. */
async function enforceCreationLimit(trx: Connection, accountId: AccountId, limit: CreationLimit): Promise<void> {
  const { perDay, isOfWarmUp = false } = limit;
  await execute(trx)`select from accounts where account_id = ${accountId} for no key update`;
  const { count, oldestAgeSeconds } = await countCreatedGroups(trx, accountId);
  if (count < perDay) return;
  const ofWarmUp = isOfWarmUp ? ' while your number is warming up' : '';
  throw new AppError(
    'creation_limit_reached',
    `You have reached the limit of ${perDay} groups, communities and channels created in 24 hours${ofWarmUp}. Messaging applications ban numbers that create many.`,
    { retryAfterSeconds: Math.max(1, Math.ceil(DAY_SECONDS - oldestAgeSeconds)), limit: perDay },
  );
}

function toError({ code, message, details, outcomeUnknown }: StoredFailure): AppError {
  return new AppError(code, message, { details, outcomeUnknown, retryAfterSeconds: 5 });
}
