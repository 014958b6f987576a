/**
 * Privacy tokens: a contact's phone issues one to each account that it trusts. With it, WhatsApp lets the account add the contact to a new
 * group. They stay in memory, since stored tokens would reveal the owner's contacts: those that came with history sync or since the
 * session began are known.
 */
import type { SignalDataTypeMap, SignalKeyStore } from 'baileys';
import { LRUCache } from 'lru-cache';
import type { Jid } from './jid.ts';

const KIND = 'tctoken';
const MAX_TOKENS = 2_000;
/** WhatsApp accepts a token in the week of its issue and the three weeks after. */
const VALID_DAYS = 21;

interface Token {
  token: Uint8Array;
  /** Of its issue, in seconds since 1970. */
  timestamp?: string | undefined;
}

/** By the LID of a contact, or by the phone number if the LID is not known. */
export type PrivacyTokens = LRUCache<Jid, Token>;

export function createPrivacyTokens(): PrivacyTokens {
  // Each account has one of these. `max` would allocate all of it at once; `maxSize` grows with use.
  return new LRUCache({ maxSize: MAX_TOKENS, sizeCalculation: () => 1 });
}

/** The token of the first of these ids of a contact that has one. */
export function findToken(tokens: PrivacyTokens, ids: readonly Jid[]): Uint8Array | undefined {
  const oldest = Date.now() / 1_000 - VALID_DAYS * 24 * 60 * 60;
  const found = ids.map((id) => tokens.get(id)).find((one) => one && Number(one.timestamp) > oldest);
  return found?.token;
}

/** The same store, which keeps tokens in memory. */
export function withTokensInMemory(keys: SignalKeyStore, tokens: PrivacyTokens): SignalKeyStore {
  return {
    ...keys,
    async get<Kind extends keyof SignalDataTypeMap>(kind: Kind, names: string[]) {
      if (kind !== KIND) return keys.get(kind, names);
      const known = names.flatMap((name) => (tokens.has(name) ? [[name, tokens.get(name)] as const] : []));
      return Object.fromEntries(known) as Record<string, SignalDataTypeMap[Kind]>;
    },
    async set({ [KIND]: told = {}, ...changes }) {
      for (const [jid, one] of Object.entries(told)) {
        // The library has an index under a name that is no JID.
        if (one && jid.includes('@') && one.token.length > 0) tokens.set(jid, one);
        else tokens.delete(jid);
      }
      if (Object.keys(changes).length > 0) await keys.set(changes);
    },
  };
}
