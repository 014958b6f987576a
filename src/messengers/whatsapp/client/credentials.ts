/** The credentials of a linked account: its identity, and the keys and sessions of its encryption. */
import { initAuthCreds, proto, type AuthenticationCreds, type SignalDataSet } from 'baileys';
import type { SignalDataTypeMap, SignalKeyStore } from 'baileys';
import { parseJid } from './jid.ts';
import { parseWithBytes, stringifyWithBytes } from './json-with-bytes.ts';
import { createPrivacyTokens, type PrivacyTokens } from './privacy-tokens.ts';
import { yieldToEventLoop } from './yield-to-event-loop.ts';

export interface Credentials {
  /** For the library alone. */
  auth: { creds: AuthenticationCreds; keys: SignalKeyStore };
  /** In memory only. */
  privacyTokens: PrivacyTokens;
  /** Notes of the adapter, stored and deleted with the credentials. */
  store: KeyValueStore;
  /** Stores the identity as it is now. */
  save(): Promise<void>;
  /** True once a phone has signed the identity. */
  isLinked(): boolean;
  /** The number of the phone that has agreed or is about to, in digits. */
  phoneNumber(): string | undefined;
}

/** Where credentials are stored: bytes by kind and name. */
export interface KeyStorage {
  /** The values of those names that exist. */
  read(kind: string, names: readonly string[]): Promise<Map<string, Buffer>>;
  list(kind: string): Promise<Map<string, Buffer>>;
  /** Stores all or none. */
  write(changes: readonly KeyChange[]): Promise<void>;
}

/** A value of null deletes. */
export interface KeyChange {
  kind: string;
  name: string;
  value: Uint8Array | null;
}

/** JSON by kind and name. The library's own kinds are not to be used. */
export interface KeyValueStore {
  /** The values of those names that exist. */
  read(kind: string, names: readonly string[]): Promise<Map<string, unknown>>;
  list(kind: string): Promise<Map<string, unknown>>;
  /** Stores all or none; null deletes. Throws ClaimLostError when a later session has claimed the account. */
  write(kind: string, values: ReadonlyMap<string, unknown>): Promise<void>;
}

const IDENTITY = { kind: 'creds', name: '' };

/** The stored credentials; undefined when the account is not linked. */
export async function loadCredentials(storage: KeyStorage): Promise<Credentials | undefined> {
  const stored = (await storage.read(IDENTITY.kind, [IDENTITY.name])).get(IDENTITY.name);
  return stored && createCredentials(storage, decode(stored) as AuthenticationCreds);
}

/**
 * New credentials; nothing is stored until `save`. They pretend that history sync has happened before. Otherwise the library waits
 * for it after linking, holds back all events meanwhile, and then reads the settings of all chats (app state).
 */
export function newCredentials(storage: KeyStorage): Credentials {
  return createCredentials(storage, { ...initAuthCreds(), accountSyncCounter: 1 });
}

function createCredentials(storage: KeyStorage, creds: AuthenticationCreds): Credentials {
  return {
    auth: { creds, keys: createKeyStore(storage) },
    privacyTokens: createPrivacyTokens(),
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

/** Plain JSON: the library's own format would read a list of numbers as bytes. */
function createKeyValueStore(storage: KeyStorage): KeyValueStore {
  const parse = (found: ReadonlyMap<string, Buffer>) =>
    new Map([...found].map(([name, bytes]) => [name, JSON.parse(bytes.toString()) as unknown]));
  return {
    read: async (kind, names) => parse(await storage.read(kind, names)),
    list: async (kind) => parse(await storage.list(kind)),
    write: (kind, values) =>
      storage.write(
        [...values].map(([name, value]) => ({
          kind,
          name,
          value: value === null ? null : Buffer.from(JSON.stringify(value)),
        })),
      ),
  };
}

function changesIn(changes: SignalDataSet): KeyChange[] {
  return Object.entries(changes).flatMap(([kind, values]) =>
    Object.entries(values).map(([name, value]: [string, unknown]) => ({
      kind,
      name,
      value: value === null || value === undefined ? null : encode(value),
    })),
  );
}

const encode = (value: unknown): Buffer => Buffer.from(stringifyWithBytes(value));
const decode = (bytes: Buffer): unknown => parseWithBytes(bytes.toString());

/** The library expects a message here, not a plain object. */
function revive(kind: string, value: unknown): unknown {
  return kind === 'app-state-sync-key' ? proto.Message.AppStateSyncKeyData.fromObject(value as object) : value;
}
