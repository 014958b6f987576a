import { checkSignatures } from './check-signatures.ts';
import { loadCredentials, newCredentials, type LibraryCredentials } from './credentials.ts';
import type { Credentials, Engine } from './engine.ts';
import { openSocket } from './open-socket.ts';
import communitiesLog from 'baileys/lib/Utils/logger.js';
import type { Log } from '../../../platform/log/log.ts';
import { withoutSecrets } from './quiet-log.ts';

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

let isPrepared = false;

/** Keeps the library and what it brings along from printing secrets, and from ending the process. Once for a process. */
function prepareLibrary(log: Log): void {
  if (isPrepared) return;
  isPrepared = true;
  // The part for communities has a logger of its own, to stdout.
  communitiesLog.level = 'silent';
  silenceConsole(log);
  surviveUnhandledRejections(log);
}

/** The encryption library prints sessions, with their private keys, on the console. */
function silenceConsole(log: Log): void {
  const write = (...printed: unknown[]) => {
    const sentence = typeof printed[0] === 'string' ? withoutSecrets(printed[0]) : 'something';
    log.debug({ console: sentence }, 'a library printed something, kept short here because of secrets');
  };
  for (const name of ['log', 'info', 'debug', 'warn', 'error', 'trace'] as const) console[name] = write;
}

const IN_LIBRARY = /[/\\]node_modules[/\\](baileys|libsignal|ws)[/\\]/;

/**
 * The library starts work whose failure nobody awaits, for example when a connection breaks during an answer. The end of the
 * connection is handled, so this failure must not end the process. Any other unhandled rejection still does.
 */
function surviveUnhandledRejections(log: Log): void {
  process.on('unhandledRejection', (reason) => {
    const isTheirs = reason instanceof Error && IN_LIBRARY.test(reason.stack ?? '');
    if (!isTheirs) throw reason;
    log.warn({ reason: withoutSecrets(reason.message) }, 'the WhatsApp client failed at something it did not await');
  });
}
