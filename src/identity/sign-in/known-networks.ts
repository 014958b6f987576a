import { isIPv6 } from 'node:net';
import { hasRow, readRow, sql, type Connection } from '../../platform/database/statements.ts';
import { clearOldRows } from '../../platform/database/clear-old-rows.ts';
import type { QuarantineDeps } from '../../platform/database/quarantine.ts';
import type { UserId } from '../../platform/database/schema.ts';
import { normalizeAddress } from '../../platform/network/address-range.ts';
import { queueMail } from '../../platform/mail/mail-store.ts';

const RETENTION = sql`interval '1 year'`;

/**
 * Records the network of a sign-up or sign-in. Brute-force limits of other networks do not delay later sign-ins from it. A user who
 * signs in from a further network gets a mail.
 */
export async function recordKnownNetwork(trx: Connection, userId: UserId, address: string): Promise<void> {
  const network = networkOf(address);
  const recorded = await readRow<{ isNew: boolean; isOnly: boolean }>(trx)`
    with noted as (
      insert into sign_in_networks (user_id, network) values (${userId}, ${network})
      on conflict (user_id, network) do update set used_at = campanile_now()
      returning xmax = 0 as is_new)
    select is_new as "isNew", not exists (select from sign_in_networks where user_id = ${userId}) as "isOnly" from noted`;
  if (recorded?.isNew && !recorded.isOnly) await queueMail(trx, { kind: 'new_sign_in', userId, detail: address });
}

/** Whether the user has signed in from there within a year. */
export async function isKnownNetwork(db: Connection, userId: UserId, address: string): Promise<boolean> {
  return hasRow(db)`
    select from sign_in_networks where user_id = ${userId} and network = ${networkOf(address)}`;
}

/** Forgets places that nobody has signed in from for a year. */
export function clearOldNetworks(deps: QuarantineDeps): Promise<void> {
  return clearOldRows(deps, {
    table: 'sign_in_networks',
    owner: 'user_id',
    isOld: sql`o.used_at < campanile_now() - ${RETENTION}`,
  });
}

/**
 * Returns an IPv4 address as it is, IPv4-mapped or not, and the /64 network of an IPv6 address: a customer owns the whole /64, and privacy extensions (RFC
 * 8981) change the rest daily. Returns any other string as it is.
 */
export function networkOf(given: string): string {
  const address = normalizeAddress(given);
  if (!isIPv6(address) || address.includes('.')) return address;
  const [head = '', tail] = address.split('::');
  const first = head === '' ? [] : head.split(':');
  const last = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? 0 : 8 - first.length - last.length;
  const groups = [...first, ...Array<string>(zeros).fill('0'), ...last];
  return `${groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`;
}
