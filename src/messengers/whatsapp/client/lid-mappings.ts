import type { SignalDataSet, SignalKeyStore, SignalRepositoryWithLIDStore } from 'baileys';
import type { LidMapping, LidMappings } from './client.ts';

const KIND = 'lid-mapping';
/** Ends the names under which a number is stored by its LID. */
const REVERSE = '_reverse';

export function createLidMappings(
  keys: SignalKeyStore,
  { lidMapping }: Pick<SignalRepositoryWithLIDStore, 'lidMapping'>,
): LidMappings {
  return {
    async findLids(numbers) {
      return numbers.length === 0 ? new Map() : new Map(Object.entries(await keys.get(KIND, [...numbers])));
    },
    async findNumber(lid) {
      const name = lid + REVERSE;
      return (await keys.get(KIND, [name]))[name];
    },
    async store(pairs) {
      await lidMapping.storeLIDPNMappings(
        pairs.map(({ lid, number }) => ({ lid: `${lid}@lid`, pn: `${number}@s.whatsapp.net` })),
      );
    },
  };
}

/** The same store. It calls `onNew` with pairs that are about to be stored, and stores them after that. */
export function withMappingListener(
  keys: SignalKeyStore,
  onNew: (pairs: LidMapping[]) => Promise<void>,
): SignalKeyStore {
  return {
    ...keys,
    async set(changes) {
      const pairs = pairsIn(changes);
      if (pairs.length > 0) await onNew(pairs);
      await keys.set(changes);
    },
  };
}

function pairsIn(changes: SignalDataSet): LidMapping[] {
  return Object.entries(changes[KIND] ?? {}).flatMap(([name, value]) =>
    typeof value === 'string' && !name.endsWith(REVERSE) ? [{ number: name, lid: value }] : [],
  );
}
