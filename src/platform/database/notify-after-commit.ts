import {
  PostgresDialect,
  PostgresDriver,
  type DatabaseConnection,
  type Kysely,
  type PostgresDialectConfig,
} from 'kysely';
import type pg from 'pg';
import type { Log } from '../log/log.ts';
import { sleep } from '../time/time.ts';
import type { NotifyChannel } from './notify-channels.ts';
import type { Schema } from './schema.ts';

/** After a batch of notifications the next ones wait so long, and are sent together. */
const PAUSE_MS = 25;

interface Notification {
  channel: NotifyChannel;
  payload: string;
}

type Notifier = ReturnType<typeof createNotifier>;

/** The state of each connection that `NotifyingDialect` has handed out. */
interface ConnectionState {
  sender: Notifier;
  /** Notifications of the open transaction; undefined: there is none. */
  uncommitted: Notification[] | undefined;
}

const connectionStates = new WeakMap<DatabaseConnection, ConnectionState>();

/**
 * Notifies all processes of new work after the transaction of `db` is committed, and never after a rollback. Outside of a transaction it
 * notifies at once. A notification can be lost in a crash or with the connection, so every listener also polls (`listenForNotifications`).
 * No statement calls pg_notify itself: notifying commits run one after the other, each until the disk and the replica have it
 * (docs/explanation/decisions/0068-send-notify-after-the-commit.md).
 */
export async function notifyAfterCommit(db: Kysely<Schema>, channel: NotifyChannel, payload = ''): Promise<void> {
  await db.getExecutor().provideConnection(async (connection) => {
    const known = connectionStates.get(connection);
    if (!known) throw new Error('hints go over connections that connectDatabase has opened');
    if (known.uncommitted) known.uncommitted.push({ channel, payload });
    else known.sender.add([{ channel, payload }]);
  });
}

/** The dialect of a pool whose transactions can `notifyAfterCommit`. */
export class NotifyingDialect extends PostgresDialect {
  readonly #config: PostgresDialectConfig;
  readonly #sender: Notifier;

  /** Hints go over `pool` itself: nobody waits for their commits. */
  constructor(config: PostgresDialectConfig, { pool, log }: { pool: Pick<pg.Pool, 'query'>; log: Log }) {
    super(config);
    this.#config = config;
    this.#sender = createNotifier(pool, log);
  }

  override createDriver() {
    return new NotifyingDriver(this.#config, this.#sender);
  }
}

class NotifyingDriver extends PostgresDriver {
  readonly #sender: Notifier;

  constructor(config: PostgresDialectConfig, sender: Notifier) {
    super(config);
    this.#sender = sender;
  }

  override async acquireConnection(options?: Parameters<PostgresDriver['acquireConnection']>[0]) {
    const connection = await super.acquireConnection(options);
    connectionStates.set(connection, { sender: this.#sender, uncommitted: undefined });
    return connection;
  }

  override async beginTransaction(...given: Parameters<PostgresDriver['beginTransaction']>) {
    await super.beginTransaction(...given);
    connectionStates.set(given[0], { sender: this.#sender, uncommitted: [] });
  }

  override async commitTransaction(connection: DatabaseConnection) {
    await super.commitTransaction(connection);
    this.#sender.add(connectionStates.get(connection)?.uncommitted ?? []);
    connectionStates.set(connection, { sender: this.#sender, uncommitted: undefined });
  }

  override async destroy() {
    // A command that has done something ends right after it.
    await this.#sender.flush();
    await super.destroy();
  }
}

/** Sends notifications after a short delay, batched into one statement. */
function createNotifier(pool: Pick<pg.Pool, 'query'>, log: Log) {
  // Deduplicated by content: a listener does nothing more for a repeated notification.
  const waiting = new Map<string, Notification>();
  let sending: Promise<void> | undefined;

  async function sendAll() {
    while (waiting.size > 0) {
      const notifications = [...waiting.values()];
      waiting.clear();
      try {
        await notify(pool, notifications);
      } catch (error) {
        log.warn(
          { err: error, notifications: notifications.length },
          'notifications could not be sent; polling finds the same',
        );
      }
      await sleep(PAUSE_MS);
    }
    sending = undefined;
  }

  return {
    add(notifications: readonly Notification[]) {
      if (notifications.length === 0) return;
      for (const one of notifications) waiting.set(`${one.channel} ${one.payload}`, one);
      sending ??= sendAll();
    },
    /** Resolves when nothing waits any more. */
    async flush() {
      await sending;
    },
  };
}

/** The commit waits for neither disk nor replica, so that the lock of notifying commits is held only briefly. */
async function notify(pool: Pick<pg.Pool, 'query'>, notifications: readonly Notification[]): Promise<void> {
  await pool.query(
    `select set_config('synchronous_commit', 'off', true), pg_notify(channel, payload)
     from unnest($1::text[], $2::text[]) h (channel, payload)`,
    [notifications.map(({ channel }) => channel), notifications.map(({ payload }) => payload)],
  );
}
