/**
 * Privacy tokens (trusted contacts): a contact's phone issues one to each account that it trusts. With it, WhatsApp lets the account add
 * the contact to a new group. The library stores them, and deletes expired ones.
 */
import { createHmac } from 'node:crypto';
import type { SignalDataTypeMap, SignalKeyStore } from 'baileys';
import type { Jid } from './jid.ts';

const KIND = 'tctoken';
/** WhatsApp accepts a token in the week of its issue and the three weeks after. */
const VALID_DAYS = 21;

/** The token of the first of these ids of a contact that has one. */
export async function findPrivacyToken(
  keys: Pick<SignalKeyStore, 'get'>,
  ids: readonly Jid[],
): Promise<Uint8Array | undefined> {
  const known = await keys.get(KIND, [...ids]);
  const oldest = Date.now() / 1_000 - VALID_DAYS * 24 * 60 * 60;
  return ids.map((id) => known[id]).find((one) => one && one.token.length > 0 && Number(one.timestamp) > oldest)?.token;
}

/** The same store. The names of tokens in it do not show who the account's contacts are. */
export function withHiddenContacts(keys: SignalKeyStore, secret: Uint8Array): SignalKeyStore {
  const hide = (jid: string) => createHmac('sha256', secret).update(`${KIND} ${jid}`).digest('base64url');
  return {
    ...keys,
    async get<Kind extends keyof SignalDataTypeMap>(kind: Kind, names: string[]) {
      if (kind !== KIND) return keys.get(kind, names);
      const found = await keys.get(kind, names.map(hide));
      const known = names.flatMap((name) => {
        const one = found[hide(name)];
        return one === undefined ? [] : [[name, one] as const];
      });
      return Object.fromEntries(known) as Record<string, SignalDataTypeMap[Kind]>;
    },
    async set({ [KIND]: tokens, ...changes }) {
      const hidden = Object.entries(tokens ?? {}).map(([jid, token]) => [hide(jid), token] as const);
      await keys.set({ ...changes, ...(tokens && { [KIND]: Object.fromEntries(hidden) }) });
    },
  };
}
