import { sql } from 'kysely';
import type { Database } from '../database/connect.ts';
import { AppError } from '../lib/errors.ts';
import type { Log } from '../lib/log.ts';
import type { MessengerGroup, MessengerSession } from '../messenger/messenger.ts';
import { COMMAND_WAIT_MS, type CommandKind, type Commands, type StoredFailure, type StoredGroup } from './commands.ts';
import type { Leases } from './leases.ts';
import type { Sessions } from './sessions.ts';

const COMMANDS_PER_STEP = 20;
const POLL_MS = 1_000;

interface Serving {
  db: Database;
  log: Log;
  leases: Leases;
  sessions: Sessions;
  /** A stored picture's bytes. */
  loadPicture: (mediaId: number) => Promise<Buffer>;
}

interface QueuedCommand {
  command_id: number;
  account_id: number;
  kind: CommandKind;
  input: unknown;
}

/**
 * Begins the commands waiting for accounts this worker holds, each once and never again: a command whose worker died has an
 * unknown outcome. One that nobody waits for any more is withdrawn. Resolves to the milliseconds until the next look.
 */
export async function serveCommands(serving: Serving): Promise<number> {
  const { db, leases } = serving;
  const shards = leases.shards();
  if (shards.length === 0) return POLL_MS;
  const { rows } = await sql<QueuedCommand & { stale: boolean }>`
    update account_commands c
    set status = case when t.stale then 'abandoned' else 'running' end::command_status, worker_id = ${leases.workerId()}
    from (select command_id, created_at < campanile_now() - ${COMMAND_WAIT_MS} * interval '1 millisecond' as stale
          from account_commands where shard = any(${shards}::smallint[]) and status = 'queued'
          order by command_id limit ${COMMANDS_PER_STEP} for update skip locked) t
    where c.command_id = t.command_id
    returning c.command_id, c.account_id, c.kind, c.input, t.stale`.execute(db);
  const begun = rows.filter((row) => !row.stale);
  await Promise.all(begun.map((command) => serve(serving, command)));
  return rows.length === COMMANDS_PER_STEP ? 0 : POLL_MS;
}

async function serve(serving: Serving, command: QueuedCommand): Promise<void> {
  const { db, log } = serving;
  let status: 'done' | 'failed' = 'done';
  let result: unknown;
  try {
    const session = await serving.sessions.get(command.account_id);
    if (!session) throw new AppError('conflict', 'Your account is not linked to a messaging application');
    result = await carryOut(session, command, serving.loadPicture);
  } catch (error) {
    status = 'failed';
    result = toFailure(error, log);
  }
  await sql`
    with ended as (
      update account_commands set status = ${status}, result = ${JSON.stringify(result)}::jsonb, finished_at = campanile_now()
      where command_id = ${command.command_id}
    )
    select pg_notify('campanile_results', ${String(command.command_id)})`.execute(db);
}

function carryOut(
  session: MessengerSession,
  command: QueuedCommand,
  loadPicture: Serving['loadPicture'],
): Promise<StoredGroup | StoredGroup[]> {
  const handlers: { [K in CommandKind]: (input: Commands[K]['input']) => Promise<Commands[K]['result']> } = {
    list_groups: async () => (await session.listGroups()).map(toStored),
    create_group: async (input) => toStored(await session.createGroup(input)),
    create_community: async (input) => toStored(await session.createCommunity(input)),
    create_channel: async ({ name, description, pictureMediaId }) => {
      const picture = pictureMediaId === null ? null : await loadPicture(pictureMediaId);
      return toStored(await session.createChannel({ name, description, picture }));
    },
  };
  // The row was written by runCommand, which pairs each kind with its own input.
  const handler = handlers[command.kind] as (input: unknown) => Promise<StoredGroup | StoredGroup[]>;
  return handler(command.input);
}

function toStored(group: MessengerGroup): StoredGroup {
  return { ...group, createdAt: group.createdAt.toISOString() };
}

function toFailure(error: unknown, log: Log): StoredFailure {
  if (error instanceof AppError) return { kind: error.kind, message: error.message, details: error.details };
  log.error({ err: error }, 'a command for an account failed');
  return {
    kind: 'unavailable',
    message: 'The messaging application could not be reached, try again in a moment',
    details: [],
  };
}
