/** Tells that a hidden number and a number are of one person, as soon as the client learns of it. */
import type { SignalDataSet, SignalKeyStore } from 'baileys';
import { sleep } from '../../../platform/time/time.ts';
import { MAPPING, REVERSE, samePerson } from './participants.ts';
import type { EmitMemberEvents } from './member-event-emitter.ts';

export interface LidMapping {
  lid: string;
  number: string;
}

export interface LidMappingEmitter {
  emit(pairs: readonly LidMapping[]): void;
  /**
   * The same store, which tells of each pair of ids before it is stored: once stored, nobody would come back to what was counted for
   * the number.
   */
  emitNewIn(keys: SignalKeyStore): SignalKeyStore;
}

/** Whoever sends waits for the store: it must not take for ever when nothing can be recorded. */
const MAX_EMIT_MS = 5_000;

export function emitLidMappings(accountId: number, emitMemberEvents: EmitMemberEvents): LidMappingEmitter {
  const emit = (pairs: readonly LidMapping[]) =>
    emitMemberEvents(pairs.map(({ lid, number }) => samePerson(accountId, lid, number)));
  return {
    emit(pairs) {
      if (pairs.length > 0) void emit(pairs);
    },
    emitNewIn: (keys) => ({
      ...keys,
      async set(changes) {
        const pairs = pairsIn(changes);
        if (pairs.length > 0) await atMost(MAX_EMIT_MS, emit(pairs));
        await keys.set(changes);
      },
    }),
  };
}

async function atMost(ms: number, work: Promise<unknown>): Promise<void> {
  const enough = new AbortController();
  await Promise.race([work, sleep(ms, enough.signal)]);
  enough.abort();
}

function pairsIn(changes: SignalDataSet): LidMapping[] {
  return Object.entries(changes[MAPPING] ?? {}).flatMap(([name, value]) =>
    typeof value === 'string' && !name.endsWith(REVERSE) ? [{ number: name, lid: value }] : [],
  );
}
