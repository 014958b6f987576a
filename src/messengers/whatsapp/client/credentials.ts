/** The library's form of the credentials of an account, and where it is stored. */
import { initAuthCreds, proto, type AuthenticationCreds, type SignalDataSet } from 'baileys';
import type { SignalDataTypeMap, SignalKeyStore } from 'baileys';
import type { Credentials } from './engine.ts';
import { parseJid } from './jid.ts';
import { parseWithBytes, stringifyWithBytes } from './json-with-bytes.ts';
import { createKeyValueStore, type KeyChange, type KeyStorage } from './key-storage.ts';
import { yieldToEventLoop } from '../../../platform/concurrency/yield-to-event-loop.ts';

export interface LibraryCredentials extends Omit<Credentials, 'openSocket'> {
  auth: { creds: AuthenticationCreds; keys: SignalKeyStore };
}

const IDENTITY = { kind: 'creds', name: '' };

export async function loadCredentials(storage: KeyStorage): Promise<LibraryCredentials | undefined> {
  const stored = (await storage.read(IDENTITY.kind, [IDENTITY.name])).get(IDENTITY.name);
  return stored && createCredentials(storage, decode(stored) as AuthenticationCreds);
}

/**
 * They pretend that history sync has happened before. Otherwise the library waits
 * for it after linking, holds back all events meanwhile, and then reads the settings of all chats (app state).
 */
export function newCredentials(storage: KeyStorage): LibraryCredentials {
  return createCredentials(storage, { ...initAuthCreds(), accountSyncCounter: 1 });
}

function createCredentials(storage: KeyStorage, creds: AuthenticationCreds): LibraryCredentials {
  return {
    auth: { creds, keys: createKeyStore(storage) },
    store: createKeyValueStore(storage),
    save: () => storage.write([{ ...IDENTITY, value: encode(creds) }]),
    isLinked: () => creds.account !== undefined,
    phoneNumber: () => parseJid(creds.me?.id)?.user,
  };
}

function createKeyStore(storage: KeyStorage): SignalKeyStore {
  return {
    async get<Kind extends keyof SignalDataTypeMap>(kind: Kind, names: string[]) {
      await yieldToEventLoop();
      const found = await storage.read(kind, names);
      return Object.fromEntries([...found].map(([name, bytes]) => [name, revive(kind, decode(bytes))])) as Record<
        string,
        SignalDataTypeMap[Kind]
      >;
    },
    set: (changes) => storage.write(changesIn(changes)),
  };
}

/**
 * In bytes. A session keeps a key for each message that was not decrypted, and private messages are not: 54 bytes each, for ever. The
 * next message starts another session, after a retry receipt if the device sends it.
 */
const MAX_SESSION = 64 * 1024;

function changesIn(changes: SignalDataSet): KeyChange[] {
  return Object.entries(changes).flatMap(([kind, values]) =>
    Object.entries(values).map(([name, value]: [string, unknown]) => {
      const bytes = value === null || value === undefined ? null : encode(value);
      const isTooLong = kind === 'session' && bytes !== null && bytes.length > MAX_SESSION;
      return { kind, name, value: isTooLong ? null : bytes };
    }),
  );
}

const encode = (value: unknown): Buffer => Buffer.from(stringifyWithBytes(value));
const decode = (bytes: Buffer): unknown => parseWithBytes(bytes.toString());

/** The library expects a message here, not a plain object. */
function revive(kind: string, value: unknown): unknown {
  return kind === 'app-state-sync-key' ? proto.Message.AppStateSyncKeyData.fromObject(value as object) : value;
}
