/** How the accounts of a simulated world stand at its messaging application, and the sessions that hear of it. */
import type { MessengerAccount, OnStateChange, SessionState } from '../../src/messengers/messenger.ts';
import type { History } from './history.ts';
import type { Standing } from './line.ts';
import { current, time, type VirtualProcess } from './virtual-time.ts';

export interface Standings {
  of(accountId: number): Standing;
  /** `forMs`: a pause ends by itself after this time. A banned account stays banned. */
  change(accountId: number, standing: Standing, forMs?: number): void;
  /** Why a session cannot send, as its own result; undefined: it can. */
  obstacle(accountId: number): { reason: string; cooldownMs: number } | undefined;
  /**
   * Reports the standing of an account to a session that opens, and each change to it until it has ended. Returns false if there can be no
   * session: the account is not linked.
   */
  attach(
    account: Pick<MessengerAccount, 'accountId'>,
    onStateChange: OnStateChange,
    ended: PromiseWithResolvers<void>,
  ): boolean;
}

interface Attached {
  accountId: number;
  process: VirtualProcess | undefined;
  onStateChange: OnStateChange;
  end: () => void;
}

/** A session hears of a change this much later. */
const HEARD_AFTER_MS = 120;
const OFFLINE_MS = 1_000;

export function openStandings(history: History): Standings {
  const standings = new Map<number, { standing: Standing; untilMs: number; pauses: number }>();
  const attached = new Set<Attached>();
  const find = (accountId: number) => standings.get(accountId) ?? { standing: 'linked', untilMs: 0, pauses: 0 };
  const isLinked = (standing: Standing) => standing === 'linked' || standing === 'paused';

  function stateOf(accountId: number): SessionState {
    const { standing, untilMs, pauses } = find(accountId);
    if (standing === 'linked') return { status: 'connected' };
    if (standing === 'paused')
      return {
        status: 'paused',
        cause: 'restricted',
        reason: 'paused',
        cooldownMs: untilMs - time.nowMs(),
        times: pauses,
      };
    return { status: 'logged_out', reason: standing };
  }

  function report(one: Attached): void {
    if (!attached.has(one)) return;
    one.onStateChange(stateOf(one.accountId));
    if (isLinked(find(one.accountId).standing)) return;
    attached.delete(one);
    one.end();
  }

  function change(accountId: number, standing: Standing, forMs?: number): void {
    const before = find(accountId);
    if (before.standing === 'banned' || before.standing === standing) return;
    const untilMs = time.nowMs() + (forMs ?? 0);
    standings.set(accountId, { standing, untilMs, pauses: before.pauses + (standing === 'paused' ? 1 : 0) });
    history.add({ kind: 'standing', accountId, standing, ...(forMs !== undefined && { forMs }) });
    for (const one of attached)
      if (one.accountId === accountId) time.at(time.nowMs() + HEARD_AFTER_MS, () => report(one), one.process);
    if (forMs !== undefined)
      time.at(untilMs, () => {
        if (find(accountId).standing === 'paused') change(accountId, 'linked');
      });
  }

  return {
    of: (accountId) => find(accountId).standing,
    change,
    obstacle(accountId) {
      const { standing, untilMs } = find(accountId);
      if (standing === 'linked') return undefined;
      return { reason: standing, cooldownMs: standing === 'paused' ? untilMs - time.nowMs() : OFFLINE_MS };
    },
    attach({ accountId }, onStateChange, ended) {
      onStateChange(stateOf(accountId));
      if (!isLinked(find(accountId).standing)) return false;
      const one = { accountId, process: current.getStore(), onStateChange, end: () => ended.resolve() };
      attached.add(one);
      void ended.promise.then(() => attached.delete(one));
      return true;
    },
  };
}
