import { execute, readRows, sql, type RawBuilder, type Database } from '../../platform/database/statements.ts';
import type { SessionState } from '../../messengers/messenger.ts';
import { soon } from '../accounts/plan-syncs.ts';
import { isLinkedHere, lockLane, wakeLane } from '../accounts/store.ts';
import type { AccountId } from '../../platform/database/schema.ts';
import type { Log } from '../../platform/log/log.ts';
import { stateCodeOf } from '../../platform/errors/account-states.ts';
import { sleep } from '../../platform/time/time.ts';

/**
 * Writes down how an account stands with the messaging application, as its session tells. A worker that has lost the account's
 * lease meanwhile writes nothing, and neither is anything written of an account that is gone. A lane that rested because the
 * account was away goes on when it is back. A warm-up that was asked for begins with the first link that a phone agrees to, and the rest
 * after a new link with that link. The groups of a new link are read.
 */
export async function recordState(
  db: Database,
  { accountId, workerId, state }: { accountId: AccountId; workerId: number; state: SessionState },
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    if (!(await lockLane(trx, accountId))) return;
    const isLinking = state.status === 'linking';
    const method = isLinking ? state.method : null;
    const code = (isLinking ? state.code : undefined) ?? null;
    const reason = 'reason' in state ? state.reason : null;
    const passkey = isLinking && state.passkey ? JSON.stringify(state.passkey) : null;
    const isPaused = state.status === 'paused';
    const times = isPaused ? state.times : 0;
    const linked = (state.status === 'connected' ? state.phoneNumber : undefined) ?? null;
    const restMs = (state.status === 'connected' ? state.newLink?.restMs : undefined) ?? null;
    const rows = await readRows(trx)`
      update accounts a
      set status = ${state.status}, link_method = ${method}, qr = ${method === 'qr' ? code : null},
          pairing_code = ${method === 'pairing_code' ? code : null},
          passkey = ${passkey}::jsonb,
          code_expires_at = campanile_now() + ${isLinking ? state.goodForMs : null}::float8 * interval '1 millisecond',
          paused_until = campanile_now() + ${state.status === 'paused' ? state.cooldownMs : null}::float8 * interval '1 millisecond',
          pause_cause = coalesce(${state.status === 'paused' ? state.cause : null}, pause_cause),
          paused_at = case when ${isPaused} and pauses <> ${times} then campanile_now() else paused_at end,
          pauses = case when ${isPaused} then ${times} else pauses end,
          status_reason = ${reason}, status_code = ${reason === null ? null : stateCodeOf(reason)},
          warning = ${state.warning?.reason ?? null},
          warned_until = campanile_now() + ${state.warning?.leftMs ?? null}::float8 * interval '1 millisecond',
          retry_until = case when ${keepsRetry(state)} then retry_until
                        else campanile_now() + ${'retryForMs' in state ? state.retryForMs : null}::float8 * interval '1 millisecond' end,
          scanned_number = ${toOffer(state)},
          linked_number = coalesce(${linked}::text, linked_number),
          warm_up_from = case when ${linked}::text is null or linked_number is not null or warm_up_from is null
                              then warm_up_from else campanile_now() end,
          linked_at = case when ${restMs}::float8 is null then linked_at else campanile_now() end,
          rests_until = case when ${restMs}::float8 is null then rests_until
                             else campanile_now() + ${restMs}::float8 * interval '1 millisecond' end,
          groups_sync_at = case when ${restMs}::float8 is null then groups_sync_at else ${soon} end
      where account_id = ${accountId}
        and exists (select from shards s where s.shard = campanile_shard(a.account_id) and s.worker_id = ${workerId})
      returning 1`;
    if (rows.length === 0 || state.status !== 'connected') return;
    await execute(trx)`
      update lanes set held_until = '-infinity' where account_id = ${accountId} and held_until < 'infinity'`;
    await wakeLane(trx, accountId);
  });
}

/** An attempt to link again forgets the former link only when it succeeds. */
function keepsRetry(state: SessionState): boolean {
  return state.status === 'linking' || (state.status === 'unlinked' && state.isDiscarded !== true);
}

/** The number of a refused phone, where its owner could take it over: the account was never linked, and nobody else has it linked. */
function toOffer(state: SessionState): RawBuilder<string | null> {
  const refused = (state.status === 'unlinked' ? state.rejectedNumber : undefined) ?? null;
  return sql`case when linked_number is null and not ${isLinkedHere(refused)} then ${refused}::text end`;
}

/** Writes down in order what sessions tell of themselves, of each account the newest state: one that is outdated by then is passed over. */
export type StateRecorder = ReturnType<typeof createStateRecorder>;

const PAUSE_MS = 500;

export function createStateRecorder({ db, log, workerId }: { db: Database; log: Log; workerId: () => number }) {
  const latest = new Map<number, { state: SessionState; written: Promise<void> }>();

  async function write(accountId: AccountId): Promise<void> {
    for (;;) {
      const state = latest.get(accountId)?.state;
      if (!state) return;
      try {
        await recordState(db, { accountId, workerId: workerId(), state });
      } catch (error) {
        log.warn({ err: error, accountId }, 'the state of an account could not be written down yet');
        await sleep(PAUSE_MS);
        continue;
      }
      if (latest.get(accountId)?.state !== state) continue;
      latest.delete(accountId);
      return;
    }
  }

  return {
    record(accountId: AccountId, state: SessionState) {
      const pending = latest.get(accountId);
      if (pending) pending.state = state;
      else {
        const entry = { state, written: Promise.resolve() };
        latest.set(accountId, entry);
        entry.written = write(accountId);
      }
    },
    /** Resolves when what was told of the account last has been written down. */
    written: (accountId: AccountId) => latest.get(accountId)?.written ?? Promise.resolve(),
  };
}
