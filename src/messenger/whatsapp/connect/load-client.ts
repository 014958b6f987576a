/** Prepares the client library, once in a process, before the first connection. */
import { Curve, generateSignalPubKey, WA_CERT_DETAILS } from 'baileys';
import communitiesLog from 'baileys/lib/Utils/logger.js';
import type { Log } from '../../../lib/log.ts';
import { withoutSecrets } from './quiet-log.ts';

let prepared: Promise<void> | undefined;

/** `rootKey`, 32 bytes: who signs the certificates of the server; undefined: WhatsApp. */
export function prepareClient(log: Log, rootKey: Buffer | undefined): Promise<void> {
  prepared ??= prepare(log, rootKey);
  return prepared;
}

async function prepare(log: Log, rootKey: Buffer | undefined): Promise<void> {
  // The part for communities has a logger of its own, to stdout, that takes no other.
  communitiesLog.level = 'silent';
  silenceConsole(log);
  surviveForgottenRejections(log);
  if (rootKey) await trustOnly(rootKey);
}

/** The encryption library prints sessions, with their private keys, on the console. */
function silenceConsole(log: Log): void {
  const quiet =
    (level: 'debug' | 'warn') =>
    (...said: unknown[]) => {
      const sentence = typeof said[0] === 'string' ? withoutSecrets(said[0]) : 'something';
      log[level]({ console: sentence }, 'a library printed something, kept short here because of secrets');
    };
  Object.assign(console, { log: quiet('debug'), info: quiet('debug'), debug: quiet('debug') });
  Object.assign(console, { warn: quiet('debug'), error: quiet('debug'), trace: quiet('debug') });
}

const OF_THE_CLIENT = /[/\\]node_modules[/\\](baileys|libsignal|ws)[/\\]/;

/**
 * The client starts work whose failure nobody awaits, as when a connection breaks while it answers something. Such a failure ends
 * the connection, which is dealt with, and must not end the process. Anything else still does.
 */
function surviveForgottenRejections(log: Log): void {
  process.on('unhandledRejection', (reason) => {
    const isTheirs = reason instanceof Error && OF_THE_CLIENT.test(reason.stack ?? '');
    if (!isTheirs) throw reason;
    log.warn({ reason: withoutSecrets(reason.message) }, 'the WhatsApp client failed at something it did not await');
  });
}

/**
 * Makes the client refuse a server whose certificates another key has signed. As it comes it takes any: it looks whether the
 * check of a signature throws, and not at what it answers.
 */
async function trustOnly(rootKey: Buffer): Promise<void> {
  const { verifySignature } = (await import('libsignal/src/curve.js' as string)) as {
    verifySignature(key: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean;
  };
  WA_CERT_DETAILS.PUBLIC_KEY = Buffer.from(Uint8Array.from(rootKey));
  Curve.verify = (key, message, signature) => {
    try {
      return verifySignature(generateSignalPubKey(key), message, signature);
    } catch {
      return false;
    }
  };
}
