/** The proxy of each account: one address for all accounts of an installation is suspected of automation. */
import { createHash } from 'node:crypto';
import { execute, readValue, type Database } from '../../../platform/database/statements.ts';
import type { AccountId } from '../../../platform/database/schema.ts';

/** Names a proxy in a log and for a person: without its user and password. */
export function proxyLabel(url: string): string {
  return new URL(url).host;
}

/**
 * Returns the account's proxy among these URLs. Sticky: the account keeps its proxy while the list has it, also with another password.
 * Otherwise it gets the one that the fewest accounts have.
 */
export async function chooseProxy(
  db: Database,
  accountId: AccountId,
  urls: readonly string[],
): Promise<string | undefined> {
  if (urls.length === 0) return undefined;
  const byId = new Map(urls.map((url) => [idOf(url), url]));
  const id = await db.transaction().execute(async (trx) => {
    // Accounts that get one at the same time get different ones.
    await execute(trx)`lock table whatsapp_proxies in share row exclusive mode`;
    const proxy = await readValue<string>(trx)`
      with listed as (
        select proxy, nr from unnest(${[...byId.keys()]}::text[]) with ordinality l (proxy, nr)
      ), kept as (
        select p.proxy from whatsapp_proxies p join listed using (proxy) where p.account_id = ${accountId}
      ), fewest as (
        select l.proxy from listed l left join whatsapp_proxies p on p.proxy = l.proxy and p.account_id <> ${accountId}
        group by l.proxy order by count(p.account_id), min(l.nr) limit 1
      )
      insert into whatsapp_proxies (account_id, proxy)
      select ${accountId}::bigint, coalesce((select proxy from kept), (select proxy from fewest))
      on conflict (account_id) do update set proxy = excluded.proxy
      returning proxy`;
    return proxy ?? '';
  });
  return byId.get(id);
}

/** Users differ where a provider sells several addresses behind one host. */
function idOf(url: string): string {
  const { protocol, username, host } = new URL(url);
  return createHash('sha256').update(`${protocol}//${username}@${host}`).digest('hex');
}
