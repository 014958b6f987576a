import {
  BufferJSON,
  initAuthCreds,
  proto,
  type AuthenticationCreds,
  type SignalDataSet,
  type SignalDataTypeMap,
  type SignalKeyStore,
} from 'baileys';
import { yieldToEventLoop } from './yield-to-event-loop.ts';
import type { KeyChange, KeyTable } from './key-table.ts';

/** What the client needs to be who it is: an identity, and the state of its encryption with everybody it writes to. */
export interface Credentials {
  creds: AuthenticationCreds;
  keys: SignalKeyStore;
  /** What is noted beside what the client keeps; both go together. */
  store: KeyValueStore;
  /** Writes the identity as it is now. */
  save(): Promise<void>;
  /** True once a phone has vouched for it. */
  isLinked(): boolean;
}

/** Notes by kind and name, as JSON. The client's own kinds are not to be used. */
export interface KeyValueStore {
  /** Those of the names that are there. */
  read(kind: string, names: readonly string[]): Promise<Map<string, unknown>>;
  /** All of a kind. */
  list(kind: string): Promise<Map<string, unknown>>;
  /** All or none; null: dropped. Throws ClaimLostError when a later session has claimed the account. */
  write(kind: string, values: ReadonlyMap<string, unknown>): Promise<void>;
}

const IDENTITY = { kind: 'creds', name: '' };

/** The stored credentials; undefined when the account is not linked. */
export async function loadCredentials(table: KeyTable): Promise<Credentials | undefined> {
  const stored = (await table.read(IDENTITY.kind, [IDENTITY.name])).get(IDENTITY.name);
  return stored && createCredentials(table, decode(stored) as AuthenticationCreds);
}

/**
 * New ones, of which nothing is stored until they are saved for the first time. They say that a phone has told of earlier conversations
 * before: else the client waits for that after linking, holding back what happens, and then reads the settings of all chats.
 */
export function newCredentials(table: KeyTable): Credentials {
  return createCredentials(table, { ...initAuthCreds(), accountSyncCounter: 1 });
}

function createCredentials(table: KeyTable, creds: AuthenticationCreds): Credentials {
  return {
    creds,
    isLinked: () => creds.account !== undefined,
    save: () => table.write([{ ...IDENTITY, value: encode(creds) }]),
    store: {
      read: async (kind, names) => readRecords(await table.read(kind, names)),
      list: async (kind) => readRecords(await table.list(kind)),
      // Not as the client writes its own: what has numbers for names would be read as bytes.
      write: (kind, values) =>
        table.write(
          [...values].map(([name, value]) => ({
            kind,
            name,
            value: value === null ? null : Buffer.from(JSON.stringify(value)),
          })),
        ),
    },
    keys: {
      async get<Kind extends keyof SignalDataTypeMap>(kind: Kind, names: string[]) {
        await yieldToEventLoop();
        const found = await table.read(kind, names);
        return Object.fromEntries([...found].map(([name, bytes]) => [name, revive(kind, decode(bytes))])) as Record<
          string,
          SignalDataTypeMap[Kind]
        >;
      },
      set: (changes) => table.write(changesIn(changes)),
    },
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

function encode(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value, BufferJSON.replacer));
}

function decode(bytes: Buffer): unknown {
  return JSON.parse(bytes.toString(), BufferJSON.reviver);
}

function readRecords(found: ReadonlyMap<string, Buffer>): Map<string, unknown> {
  return new Map([...found].map(([name, bytes]) => [name, JSON.parse(bytes.toString())]));
}

/** The client expects messages of this kind, not plain objects. */
function revive(kind: string, value: unknown): unknown {
  return kind === 'app-state-sync-key' ? proto.Message.AppStateSyncKeyData.fromObject(value as object) : value;
}
