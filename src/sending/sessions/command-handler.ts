import { execute, readColumn, readRows, sql, type Database } from '../../platform/database/statements.ts';
import { clearOldRows } from '../../platform/database/clear-old-rows.ts';
import { isolateStatement, ownedBy } from '../../platform/database/isolate-statement.ts';
import type { QuarantineDeps } from '../../platform/database/quarantine.ts';
import type { Notifications } from '../../platform/database/listen.ts';
import { servePolled, type PolledLoopDeps } from '../../platform/database/work-poll.ts';
import { notifyAfterCommit } from '../../platform/database/notify-after-commit.ts';
import { AppError } from '../../platform/errors/errors.ts';
import type { Log } from '../../platform/log/log.ts';
import { startLoop } from '../../platform/concurrency/loop.ts';
import { sleep } from '../../platform/time/time.ts';
import { COMMAND_WAIT_MS, type CommandKind, type Commands, type StoredFailure } from '../accounts/commands.ts';
import type { Leases } from '../leases/leases.ts';
import { listChats, toStored } from './sync-due-groups.ts';
import type { Sessions } from './sessions.ts';
import type { AccountId } from '../../platform/database/schema.ts';

const COMMANDS_UNDER_WAY = 50;
/** Of which an account gets so many: one whose network is dead would take them all. More than one, so that linking can be given up. */
const PER_ACCOUNT = 3;
const POLL_MS = 1_000;
const CLEARING_MS = 60 * 60_000;
/** A caller waits no longer than these attempts take. */
const MAX_RESULT_ATTEMPTS = 50;
const RESULT_PAUSE_MS = 500;

interface Serving extends PolledLoopDeps {
  db: Database;
  notifications: Pick<Notifications, 'on'>;
  leases: Pick<Leases, 'shards' | 'workerId'>;
  sessions: Pick<Sessions, 'get' | 'link' | 'retry' | 'submitPasskey' | 'simulate' | 'unlink'>;
  /** A stored picture's bytes. */
  loadPicture: (mediaId: number) => Promise<Buffer>;
}

interface QueuedCommand {
  command_id: number;
  account_id: AccountId;
  kind: CommandKind;
  input: unknown;
}

/**
 * Carries out the commands waiting for accounts this worker holds, until stopped. Each is begun once and never again: a command
 * whose worker died has an unknown outcome. One that nobody waits for any more is withdrawn. Three of an account are under way at most;
 * a slow one delays none of another account.
 */
export function serveCommands(serving: Serving): { stop(): Promise<void> } {
  const { leases, notifications } = serving;
  const loop = servePolled<QueuedCommand, AccountId>(serving, {
    name: 'commands',
    isDue: () => sql<boolean>`exists (
      select from account_commands where shard = any(${leases.shards()}::smallint[]) and status = 'queued')`,
    permits: COMMANDS_UNDER_WAY,
    pollMs: POLL_MS,
    claim: (busy, room) => beginCommands(serving, busy, room),
    keyOf: ({ account_id: accountId }) => accountId,
    serve: (command) => serve(serving, command),
    holdMs: Infinity,
  });
  const clearing = startLoop('old commands', () => clearOldCommands(serving), serving);
  notifications.on('campanile_commands', () => loop.wake());
  return {
    async stop() {
      await Promise.all([loop.stop(), clearing.stop()]);
    },
  };
}

/** Nobody asks for a command any more once its waiter is gone; a day of them is kept for whoever looks into a defect. */
async function clearOldCommands(deps: QuarantineDeps): Promise<number> {
  const isOld = sql`o.created_at < campanile_now() - interval '1 day'`;
  await clearOldRows(deps, { table: 'account_commands', owner: 'account_id', isOld });
  return CLEARING_MS;
}

/** The first of each account comes before the second of any. `busy`: the account of each command that is under way. */
async function beginCommands(serving: Serving, busy: readonly number[], room: number): Promise<QueuedCommand[]> {
  const { db, leases } = serving;
  const shards = leases.shards();
  if (shards.length === 0) return [];
  const begun = await isolateStatement(serving, 'commands', {
    findOwners: () =>
      readColumn<number>(db)`
        select distinct account_id as id from account_commands
        where shard = any(${shards}::smallint[]) and status = 'queued'`,
    run: (owners) =>
      readRows<QueuedCommand & { stale: boolean }>(db)`
        with t as materialized (
          select q.command_id, q.created_at < campanile_now() - ${COMMAND_WAIT_MS} * interval '1 millisecond' as stale
          from (select command_id, account_id,
                       row_number() over (partition by account_id order by command_id)
                         + cardinality(array_positions(${[...busy]}::bigint[], account_id)) as nth
                from account_commands where shard = any(${shards}::smallint[]) and status = 'queued'
                  and ${ownedBy('account_id', owners)}) w
          join account_commands q using (command_id)
          where w.nth <= ${PER_ACCOUNT}
          order by w.nth, q.command_id limit ${room} for update of q skip locked
        )
        update account_commands c
        set status = case when t.stale then 'abandoned' else 'running' end::command_status, worker_id = ${leases.workerId()}
        from t where c.command_id = t.command_id and c.status = 'queued'
        returning c.command_id, c.account_id, c.kind, c.input, t.stale`,
  });
  return begun.flat().filter(({ stale }) => !stale);
}

async function serve(serving: Serving, command: QueuedCommand): Promise<void> {
  const { log } = serving;
  let status: 'done' | 'failed' = 'done';
  let result: unknown;
  try {
    result = await carryOut(serving, command);
  } catch (error) {
    status = 'failed';
    result = toFailure(error, log);
  }
  await storeResult(serving, command, status, result);
}

/** Keeps trying while the database is away: what was done must not become unknown for want of a place to say so. */
async function storeResult({ db, log }: Serving, command: QueuedCommand, status: 'done' | 'failed', result: unknown) {
  for (let tries = 0; tries < MAX_RESULT_ATTEMPTS; tries++) {
    try {
      await writeResult(db, command, status, result);
      return;
    } catch (error) {
      log.warn({ err: error, command: command.command_id }, 'the result of a command could not be stored yet');
      await sleep(RESULT_PAUSE_MS);
    }
  }
}

async function writeResult(db: Database, command: QueuedCommand, status: 'done' | 'failed', result: unknown) {
  await execute(db)`
    update account_commands set status = ${status}, result = ${JSON.stringify(result)}::jsonb, finished_at = campanile_now()
    where command_id = ${command.command_id}`;
  await notifyAfterCommit(db, 'campanile_results', String(command.command_id));
}

async function carryOut({ sessions, loadPicture }: Serving, { account_id: accountId, kind, input }: QueuedCommand) {
  const session = async () => {
    const opened = await sessions.get(accountId);
    if (!opened) throw new AppError('account_unlinked', 'Your account is not linked to a messaging application');
    return opened;
  };
  const handlers: { [K in CommandKind]: (input: Commands[K]['input']) => Promise<Commands[K]['result']> } = {
    async connect({ method }) {
      await (method === 'retry' ? sessions.retry(accountId) : sessions.link(accountId, method));
      return {};
    },
    async submit_passkey({ assertion }) {
      await sessions.submitPasskey(accountId, assertion);
      return {};
    },
    async disconnect() {
      await sessions.unlink(accountId);
      return {};
    },
    async simulate(incident) {
      await sessions.simulate(accountId, incident);
      return {};
    },
    list_groups: async ({ knownChannels }) => listChats(await session(), knownChannels),
    create_group: async (input) => toStored(await (await session()).createGroup(input)),
    get_invite_link: async ({ chatId }) => ({ inviteLink: await (await session()).fetchInviteLink(chatId) }),
    create_community: async (input) => toStored(await (await session()).createCommunity(input)),
    create_channel: async ({ name, description, pictureMediaId }) => {
      const picture = pictureMediaId === null ? null : await loadPicture(pictureMediaId);
      return toStored(await (await session()).createChannel({ name, description, picture }));
    },
  };
  // The row was written by runCommand, which pairs each kind with its own input.
  const handler = handlers[kind] as (input: unknown) => Promise<unknown>;
  return handler(input);
}

function toFailure(error: unknown, log: Log): StoredFailure {
  if (error instanceof AppError) {
    const { code, message, details, outcomeUnknown } = error;
    return { code, message, details, outcomeUnknown };
  }
  log.error({ err: error }, 'a command for an account failed');
  const message =
    'The messaging application could not be reached. Sync your groups to see what exists, then try again.';
  return { code: 'outcome_unknown', message, details: [], outcomeUnknown: true };
}
