/** The rest after a new link, and the slow pace of a warm-up. */
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import type { Person } from '../../../support/app.ts';
import { until } from '../../../support/ledger.ts';
import { progressOf, sendCampaign, statusWhen } from '../../../support/whatsapp.ts';
import { setWhatsAppScene } from '../../../support/whatsapp-scene.ts';

const MINUTE_MS = 60_000;
const warmUpGap = { minMs: 20_000, maxMs: 60_000 };
const scene = await setWhatsAppScene(undefined, {
  whatsappRestAfterLinkMs: 30 * MINUTE_MS,
  whatsappWarmUpGap: warmUpGap,
});
const { peer, database, linked } = scene;

interface Waiting {
  waits_for?: { reason: string; until: string | null };
}
interface Checked {
  warnings: Array<{ code: string; message: string }>;
  expected_seconds: number;
}
interface Rests {
  rests_until: string | null;
  rest_reason?: string;
  warm_up?: { gap_seconds: { min: number; max: number } };
}

const waitOf = async (person: Person, campaign: string) =>
  (await person.call<Waiting>('venom/get-campaign', { campaign_id: campaign })).body.data.waits_for;

const rests = async (person: Person) => (await person.call<Rests>('venom/update-account', {})).body.data;

async function check(person: Person, groups: readonly number[]): Promise<Checked> {
  const campaign = { name: 'Test', html: 'Checked', group_metadata_ids: groups };
  return (await person.call<Checked>('venom/check-campaign', campaign)).body.data;
}

const sentOf = async (person: Person, campaign: string) => (await progressOf(person, campaign)).totals.sent;

test('no post leaves within 30 minutes of a new link, and the campaign says so', async () => {
  const { person, phone, groups } = await linked(2);
  const { warnings, expected_seconds: seconds } = await check(person, groups);
  expect(warnings).toContainEqual(
    expect.objectContaining({ code: 'new_link', message: expect.stringContaining('linked a short time ago') }),
  );
  expect(seconds).toBeGreaterThan(25 * 60);
  const campaign = await sendCampaign(person, groups, 'too early');
  const wait = await until(
    () => waitOf(person, campaign),
    (found) => found !== undefined,
  );
  expect(wait).toMatchObject({ reason: 'new_link' });
  const leftMs = Date.parse(wait?.until ?? '') - Number(await database.clock.now());
  expect(leftMs).toBeGreaterThan(25 * MINUTE_MS);
  expect(leftMs).toBeLessThanOrEqual(30 * MINUTE_MS);
  expect(await rests(person)).toMatchObject({ rest_reason: 'new_link', rests_until: wait?.until });
  await database.clock.advance({ minutes: 20 });
  // Another connection is no new link.
  peer.cut(phone);
  await statusWhen(person, 'connected');
  // After a step of the clock the worker has to beat once.
  await until(
    () => waitOf(person, campaign),
    (found) => found?.until === wait?.until,
  );
  expect(await sentOf(person, campaign)).toBe(0);
  await database.clock.advance({ minutes: 11 });
  await until(
    () => sentOf(person, campaign),
    (sent) => sent === 2,
  );
  await until(
    () => waitOf(person, campaign),
    (found) => found === undefined,
  );
  expect((await check(person, groups)).warnings.map(({ code }) => code)).not.toContain('new_link');
});

test('the clock of the database is set back: the rest does not become longer', async () => {
  const { person, groups } = await linked(1);
  await database.clock.advance({ hours: -5 });
  const campaign = await sendCampaign(person, groups, 'set back');
  const sent = await until(
    () => sentOf(person, campaign),
    (found) => found === 1,
  );
  expect(sent).toBe(1);
  await database.clock.advance({ hours: 5 });
});

test('an account that warms up pauses for 20 to 60 s between two posts, and its campaign says so', async () => {
  const { person, groups } = await linked(4);
  await database.clock.advance({ minutes: 31 });
  await person.call('venom/update-account', { warm_up: true });
  expect((await rests(person)).warm_up).toMatchObject({ gap_seconds: { min: 20, max: 60 } });
  const { warnings, expected_seconds: seconds } = await check(person, groups);
  expect(warnings).toContainEqual(
    expect.objectContaining({ code: 'warm_up_pace', message: expect.stringContaining('20 to 60 s') }),
  );
  expect(seconds).toBeGreaterThanOrEqual(3 * 40);
  const campaign = await sendCampaign(person, groups, 'slowly');
  for (let sent = 1; sent < groups.length; sent++) {
    await until(
      () => sentOf(person, campaign),
      (found) => found === sent,
    );
    await until(
      () => waitOf(person, campaign),
      (found) => found?.reason === 'warm_up' && found.until === null,
    );
    const { rows } = await sql<{ gap: number }>`
      select extract(epoch from next_send_at - (select max(sent_at) from deliveries d where d.workspace_id = l.workspace_id))::float8 as gap
      from lanes l where account_id = (select account_id from accounts order by account_id desc limit 1)`.execute(
      database.db,
    );
    expect(rows[0]?.gap).toBeGreaterThanOrEqual(20);
    expect(rows[0]?.gap).toBeLessThan(61);
    await database.clock.advance({ seconds: 60 });
  }
  await until(
    () => sentOf(person, campaign),
    (found) => found === groups.length,
  );
});
