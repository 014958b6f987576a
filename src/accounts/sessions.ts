import type { Database } from '../database/connect.ts';
import type { Log } from '../lib/log.ts';
import type { Messenger, MessengerSession } from '../messenger/messenger.ts';
import { findAccount } from './store.ts';

/** The live sessions of the accounts this worker serves. */
export interface Sessions {
  /** The account's session, opened when first asked for; undefined when the account is not linked, or gone. */
  get(accountId: number): Promise<MessengerSession | undefined>;
  /** Closes the sessions for which `keep` says no: their lease went to another worker. */
  closeUnless(keep: (accountId: number) => boolean): Promise<void>;
}

export function openSessions(deps: { db: Database; log: Log; messengers: ReadonlyMap<string, Messenger> }): Sessions {
  const sessions = new Map<number, Promise<MessengerSession | undefined>>();

  async function open(accountId: number): Promise<MessengerSession | undefined> {
    const account = await findAccount(deps.db, accountId);
    const messenger = account && deps.messengers.get(account.messenger);
    if (!account || !messenger || account.status === 'unlinked' || account.status === 'logged_out') return undefined;
    return messenger.open({ accountId, phoneNumber: account.phoneNumber });
  }

  async function close(accountId: number, session: Promise<MessengerSession | undefined>) {
    try {
      await (await session)?.close();
    } catch (error) {
      deps.log.warn({ err: error, accountId }, 'a session did not close cleanly');
    }
  }

  return {
    async get(accountId) {
      const known = sessions.get(accountId);
      if (known) return known;
      const opening = open(accountId);
      sessions.set(accountId, opening);
      try {
        const session = await opening;
        if (!session) sessions.delete(accountId);
        return session;
      } catch (error) {
        sessions.delete(accountId);
        throw error;
      }
    },
    async closeUnless(keep) {
      const leaving = [...sessions].filter(([accountId]) => !keep(accountId));
      for (const [accountId] of leaving) sessions.delete(accountId);
      await Promise.all(leaving.map(([accountId, session]) => close(accountId, session)));
    },
  };
}
