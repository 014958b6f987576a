/** Time zones that were stored before `Temporal` checked them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { migrate } from '../../../src/platform/database/migrate.ts';
import { createLog } from '../../../src/platform/log/log.ts';
import { isTimeZone } from '../../../src/platform/time/time-zone.ts';
import { createEmptyDatabase } from '../../support/database.ts';
import { migrateFromFirst } from '../../support/first-schema.ts';
import { createOwner, type Owner } from '../../support/ledger.ts';

const DATABASE = join(import.meta.dirname, '../../../src/platform/database');
const MIGRATION = '003-legacy-time-zones.sql';
const log = createLog('silent');

let database: Awaited<ReturnType<typeof createEmptyDatabase>>;
beforeEach(async () => {
  database = await createEmptyDatabase();
});
afterEach(() => database.drop());

/** Writes a user, a campaign and a draft with the zone, as the service did. */
async function store(zone: string | null): Promise<Owner> {
  const owner = await createOwner(database.db, 0);
  const content = JSON.stringify({ html: 'Hello', is_schedule: true, time_zone: zone });
  await sql`update users set time_zone = ${zone} where user_id = ${owner.userId}`.execute(database.db);
  await sql`
    insert into campaigns (account_id, name, description, is_channel_campaign, is_schedule, status, open_runs, time_zone)
    values (${owner.accountId}, 'Morning', '', false, true, 'scheduled', 0, ${zone})`.execute(database.db);
  await sql`
    insert into drafts (workspace_id, draft_id, name, content, group_ids)
    values (${owner.workspaceId}, gen_random_uuid(), 'Draft', ${content}::jsonb, '{}')`.execute(database.db);
  return owner;
}

async function readStored({ userId, workspaceId }: Owner): Promise<unknown> {
  const { rows } = await sql`
    select (select time_zone from users where user_id = ${userId}) as "user",
           (select time_zone from campaigns where workspace_id = ${workspaceId}) as campaign,
           (select content from drafts where workspace_id = ${workspaceId}) as draft`.execute(database.db);
  return rows[0];
}

const all = (zone: string | null) => ({
  user: zone,
  campaign: zone,
  draft: { html: 'Hello', is_schedule: true, time_zone: zone },
});

/** The local times of the zone at noon UTC on days of several years, by ICU. */
function showClocks(timeZone: string): string[] {
  const clock = new Intl.DateTimeFormat('en-GB', { timeZone, dateStyle: 'short', timeStyle: 'short' });
  const noon = Date.UTC(2020, 0, 1, 12);
  return Array.from({ length: 600 }, (_, index) => clock.format(noon + index * 6 * 86_400_000));
}

const mapping = [
  ...readFileSync(join(DATABASE, 'migrations', MIGRATION), 'utf8').matchAll(/\('([^']+)', '([^']+)'\)/g),
].map(([, name = '', zone = '']) => [name, zone] as const);

test('replaces names that are no longer accepted by their zone, wherever they are stored', async () => {
  await migrateFromFirst(database.db, { below: 3 });
  const written = ['JST', 'ist', 'US/Pacific-New', 'SystemV/EST5EDT', 'Canada/East-Saskatchewan'];
  const kept = [null, 'Europe/Berlin', 'asia/calcutta', 'EST', 'Mars/Olympus', ''];
  const owners = new Map<string | null, Owner>();
  for (const zone of [...written, ...kept]) owners.set(zone, await store(zone));
  await migrate(database.db, log);
  const stored = new Map<string | null, unknown>();
  for (const [zone, owner] of owners) stored.set(zone, await readStored(owner));
  expect(stored).toEqual(
    new Map<string | null, unknown>([
      ['JST', all('Asia/Tokyo')],
      ['ist', all('Asia/Kolkata')],
      ['US/Pacific-New', all('America/Los_Angeles')],
      ['SystemV/EST5EDT', all('America/New_York')],
      ['Canada/East-Saskatchewan', all('America/Regina')],
      ...kept.map((zone): [string | null, unknown] => [zone, all(zone)]),
    ]),
  );
});

test('rejects each of the 40 names, and replaces it by a zone with the same clocks', () => {
  expect(mapping).toHaveLength(40);
  expect(mapping.filter(([name]) => isTimeZone(name))).toEqual([]);
  expect(mapping.filter(([, zone]) => !isTimeZone(zone))).toEqual([]);
  // ICU uses the rules of before 2007 for System V zones with clock changes.
  const isOfToday = ([name]: readonly [string, string]) => !/^SYSTEMV.*DT$/.test(name);
  for (const [name, zone] of mapping.filter(isOfToday)) expect(showClocks(name), name).toEqual(showClocks(zone));
});
