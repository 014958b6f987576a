/** The users' browsers for push messages. */
import { createPublicKey } from 'node:crypto';
import { execute, hasRow, type Database } from '../../platform/database/statements.ts';
import type { Actor } from '../../workspaces/audit/record-audit.ts';
import type { Egress } from '../../platform/http-client/safe-http-client.ts';
import { invalid, fieldError } from '../../platform/errors/errors.ts';

/** The most browsers of a user: another one replaces the oldest. */
const SUBSCRIPTIONS_LIMIT = 5;

export interface SubscribeDeps {
  db: Database;
  egress: Pick<Egress, 'requireUrl'>;
}

/** A subscription as the browser describes it: key and secret are base64url. */
export interface Subscription {
  endpoint: string;
  p256dh: string;
  auth: string;
}

/**
 * Subscribes a browser to a user's notices, and unsubscribes the browser's previous user. A sixth browser replaces the oldest. Throws
 * `invalid` for an endpoint that SSRF protection blocks, and for an invalid key.
 */
export async function subscribePush(
  { db, egress }: SubscribeDeps,
  { userId }: Actor,
  { endpoint, p256dh, auth }: Subscription,
): Promise<void> {
  egress.requireUrl('endpoint', endpoint);
  requirePoint(p256dh);
  await db.transaction().execute(async (trx) => {
    // Two browsers cannot be counted beside each other then.
    await execute(trx)`select from users where user_id = ${userId} for no key update`;
    // Browsers say it each time that the dashboard is opened: what waits for one goes with its row.
    const isKnown = await hasRow(trx)`
      select from push_subscriptions
      where endpoint = ${endpoint} and user_id = ${userId} and p256dh = ${p256dh} and auth = ${auth}`;
    if (isKnown) return;
    await execute(trx)`delete from push_subscriptions where endpoint = ${endpoint}`;
    await execute(trx)`
      delete from push_subscriptions where subscription_id in (
        select subscription_id from push_subscriptions where user_id = ${userId}
        order by subscription_id desc offset ${SUBSCRIPTIONS_LIMIT - 1})`;
    await execute(trx)`
      insert into push_subscriptions (user_id, endpoint, p256dh, auth) values (${userId}, ${endpoint}, ${p256dh}, ${auth})
      on conflict (endpoint) do nothing`;
  });
}

export async function unsubscribePush({ db }: { db: Database }, { userId }: Actor, endpoint: string): Promise<void> {
  await execute(db)`delete from push_subscriptions where user_id = ${userId} and endpoint = ${endpoint}`;
}

/** Throws `invalid` unless the bytes are a point of P-256: nothing can be encrypted for an invalid point later. */
function requirePoint(p256dh: string): void {
  const bytes = Buffer.from(p256dh, 'base64url');
  try {
    const [x, y] = [bytes.subarray(1, 33), bytes.subarray(33)].map((part) => part.toString('base64url'));
    if (bytes[0] !== 4 || x === undefined || y === undefined) throw new Error('it is not uncompressed');
    createPublicKey({ key: { kty: 'EC', crv: 'P-256', x, y }, format: 'jwk' });
  } catch {
    throw invalid([fieldError('p256dh', 'curve_point')]);
  }
}
