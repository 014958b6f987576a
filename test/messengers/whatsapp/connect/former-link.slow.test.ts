/** A link that WhatsApp has ended: its credentials are kept for a week, and its owner may try it once more. */
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import type { Person } from '../../../support/app.ts';
import { until } from '../../../support/ledger.ts';
import { linkByQr, sendCampaign, statusOf, statusWhen, type Linked, type Status } from '../../../support/whatsapp.ts';
import { setWhatsAppScene } from '../../../support/whatsapp-scene.ts';
import { workspaceOf } from '../../../support/workspaces.ts';
import type { AccountId } from '../../../../src/platform/database/schema.ts';

const DAY_MS = 24 * 3_600_000;
const scene = await setWhatsAppScene();
const { peer, linked, finished, database } = scene;

const retry = (person: Person) => person.call<Status>('venom/connect-account', { method: 'retry' });
const retryUntilOf = async (person: Person) =>
  ((await statusOf(person)) as Status & { retry_until?: string }).retry_until;

/** The number of stored rows of credentials. */
async function countKeys(accountId: AccountId): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from account_keys where account_id = ${accountId}`.execute(database.db);
  return rows[0]?.count ?? 0;
}

async function accountOf(person: Person): Promise<AccountId> {
  const { rows } = await sql<{ id: AccountId }>`
    select account_id as id from accounts where workspace_id = ${workspaceOf(person)}`.execute(database.db);
  return rows[0]?.id ?? (0 as AccountId);
}

/** WhatsApp refuses the next login of somebody with this code, and all later ones until the peer behaves. */
async function end({ person, phone }: Linked, code = 401): Promise<void> {
  peer.script.refuseLogin = code;
  peer.cut(phone);
  await statusWhen(person, 'logged_out');
}

describe('an ended link', () => {
  test.each([401, 403, 406, 411])('is kept for seven days after %i, and can be tried once more', async (code) => {
    const somebody = await linked(1);
    const { person, groups } = somebody;
    await end(somebody, code);
    const until = Date.parse((await retryUntilOf(person)) ?? '');
    expect(Math.abs(until - Date.now() - 7 * DAY_MS)).toBeLessThan(DAY_MS / 2);
    peer.behave();
    expect((await retry(person)).status).toBe(200);
    await statusWhen(person, 'connected');
    expect(await retryUntilOf(person)).toBeUndefined();
    const campaign = await sendCampaign(person, groups, `after ${code}`);
    expect((await finished(person, campaign)).totals).toMatchObject({ sent: 1, failed: 0 });
  });

  test('is not used to log in again by itself', async () => {
    const somebody = await linked(0);
    await end(somebody);
    peer.behave();
    await scene.restart();
    // Another account, whose session is opened meanwhile.
    await linked(0);
    expect(somebody.companion.connection).toBeUndefined();
    expect((await statusOf(somebody.person)).status).toBe('logged_out');
  });

  test('is not used to log in again when its end was not written down', async () => {
    const somebody = await linked(0);
    const accountId = await accountOf(somebody.person);
    await end(somebody);
    peer.behave();
    await scene.stop();
    // As a worker leaves it that dies after it has marked the credentials.
    await sql`update accounts set status = 'connected' where account_id = ${accountId}`.execute(database.db);
    await scene.start();
    await statusWhen(somebody.person, 'logged_out');
    expect(somebody.companion.connection).toBeUndefined();
    expect(await retryUntilOf(somebody.person)).toBeDefined();
  });

  test('is deleted when WhatsApp refuses it a second time', async () => {
    const somebody = await linked(0);
    const { person } = somebody;
    const accountId = await accountOf(person);
    await end(somebody);
    expect(await countKeys(accountId)).toBeGreaterThan(0);
    await retry(person);
    await until(
      () => countKeys(accountId),
      (count) => count === 0,
    );
    await until(
      () => statusOf(person),
      ({ status }) => status === 'logged_out',
    );
    expect(await retryUntilOf(person)).toBeUndefined();
    expect(await retry(person)).toMatchObject({ status: 409, body: { error_code: 'link_not_kept' } });
    peer.behave();
    await linkByQr(peer, person, somebody.phone);
  });

  test('is deleted after seven days', async () => {
    const somebody = await linked(0);
    const accountId = await accountOf(somebody.person);
    await end(somebody);
    await scene.stop();
    await database.clock.advance(7 * DAY_MS + 1_000);
    await scene.start();
    await until(
      () => countKeys(accountId),
      (count) => count === 0,
    );
    expect((await retry(somebody.person)).status).toBe(409);
  });

  test('is no ended one any more once it has connected again', async () => {
    const somebody = await linked(0);
    const accountId = await accountOf(somebody.person);
    const isEnded = async () => {
      const { rows } = await sql<{ isEnded: boolean }>`
        select ended_at is not null as "isEnded" from account_sessions where account_id = ${accountId}`.execute(
        database.db,
      );
      return rows[0]?.isEnded;
    };
    await end(somebody);
    expect(await isEnded()).toBe(true);
    peer.behave();
    await retry(somebody.person);
    await statusWhen(somebody.person, 'connected');
    // Housekeeping would delete its keys otherwise.
    expect(await isEnded()).toBe(false);
  });

  test('is deleted at once when the account is disconnected', async () => {
    const somebody = await linked(0);
    const { person } = somebody;
    const accountId = await accountOf(person);
    await end(somebody);
    await person.call('venom/disconnect-account');
    expect(await countKeys(accountId)).toBe(0);
    expect(await statusOf(person)).toMatchObject({ status: 'unlinked' });
    expect(await retryUntilOf(person)).toBeUndefined();
  });

  test('is deleted at once with its user, without a login', async () => {
    const somebody = await linked(0);
    const accountId = await accountOf(somebody.person);
    await end(somebody);
    peer.behave();
    const logins = peer.logins.length;
    await somebody.person.call('user/delete_account', { password: 'correct horse battery' });
    await until(
      () => countKeys(accountId),
      (count) => count === 0,
    );
    expect(peer.logins.length).toBe(logins);
  });

  test('is kept while a new link does not succeed, and replaced by one that does', async () => {
    const somebody = await linked(0);
    const { person, phone } = somebody;
    await end(somebody);
    peer.behave();
    await person.call('venom/connect-account');
    await person.call('venom/disconnect-account');
    await statusWhen(person, 'unlinked');
    expect(await retryUntilOf(person)).toBeDefined();
    expect((await retry(person)).status).toBe(200);
    await statusWhen(person, 'connected');
    await end(somebody);
    peer.behave();
    const accountId = await accountOf(person);
    await sql`
      insert into account_keys (account_id, kind, name, sealed) values (${accountId}, 'probe', 'of the former link', '')`.execute(
      database.db,
    );
    await linkByQr(peer, person, phone);
    expect(await retryUntilOf(person)).toBeUndefined();
    const { rows } = await sql`select from account_keys where account_id = ${accountId} and kind = 'probe'`.execute(
      database.db,
    );
    expect(rows).toEqual([]);
  });
});
