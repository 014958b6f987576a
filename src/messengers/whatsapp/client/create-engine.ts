import { checkSignatures } from './check-signatures.ts';
import { loadCredentials, newCredentials, type LibraryCredentials } from './credentials.ts';
import type { Credentials, Engine } from './engine.ts';
import { openSocket } from './open-socket.ts';
import { prepareLibrary } from './prepare-library.ts';

/** The engine of the adapter: Baileys. */
export function createEngine(): Engine {
  return {
    prepare(log, rules) {
      prepareLibrary(log);
      checkSignatures(rules);
    },
    newCredentials: (storage) => withSocket(newCredentials(storage)),
    async loadCredentials(storage) {
      const stored = await loadCredentials(storage);
      return stored && withSocket(stored);
    },
  };
}

function withSocket(library: LibraryCredentials): Credentials {
  const { store, save, isLinked, phoneNumber } = library;
  return { store, save, isLinked, phoneNumber, openSocket: (options) => openSocket(library, options) };
}
