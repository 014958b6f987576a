/** A rejection by WhatsApp's media host concerns the file: the account goes on, and the deliveries have the reason. */
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import type { Person } from '../../../support/app.ts';
import { until } from '../../../support/ledger.ts';
import { TAKEN } from '../../../support/inputs/sample-files.ts';
import { allOnce, progressOf, sendCampaign, statusOf, timesShown } from '../../../support/whatsapp.ts';
import { setWhatsAppScene } from '../../../support/whatsapp-scene.ts';

// A cool-down would outlast the test.
const scene = await setWhatsAppScene({ cooldownMs: 3_600_000 });
const { peer, database, linked, finished } = scene;
// One more than the rejections in a row that begin a cool-down.
const somebody = await linked(6);
let brought: number;

const pdf = TAKEN.find(([name]) => name === 'PDF')?.[1] ?? Buffer.alloc(0);
/** A unique file: a rejected one is cached for a while. */
const fileFor = (what: string) => Buffer.concat([pdf, Buffer.from(`\n%${what}\n`)]);

/** Makes the media host answer each file with this, until `peer.behave()`. */
function refuseFiles(status: () => number | undefined): void {
  brought = 0;
  peer.script.refuseUpload = () => {
    brought += 1;
    return status();
  };
}

/** The number of attempts of each delivery of the campaign. */
async function attemptsOf(campaign: string): Promise<number[]> {
  const { rows } = await sql<{ attempts: number }>`
    select d.attempts from deliveries d join runs r using (workspace_id, run_id) join campaigns c using (campaign_id)
    where c.public_id = ${campaign}`.execute(database.db);
  return rows.map(({ attempts }) => attempts);
}

const tried = (campaign: string) =>
  until(
    () => attemptsOf(campaign),
    (attempts) => attempts.length === 6 && attempts.every((times) => times > 0),
  );

const statusOfCampaign = async (person: Person, campaign_id: string) =>
  (await person.call<{ status: string }>('venom/get-campaign', { campaign_id })).body.data;

async function goesOn(person: Person, groups: readonly number[], text: string): Promise<void> {
  expect((await finished(person, await sendCampaign(person, groups, text))).totals).toMatchObject({
    sent: groups.length,
    failed: 0,
  });
  expect(timesShown(peer, text)).toEqual(allOnce(groups.length));
  expect((await statusOf(person)).status).toBe('connected');
}

describe('texts are sent, and the account is not paused', () => {
  test.each([400, 403])('while files are rejected with %i, with the reason', async (code) => {
    const { person, groups } = somebody;
    refuseFiles(() => code);
    const campaign = await sendCampaign(person, groups, `refused with ${code}`, fileFor(`refused ${code}`));
    await tried(campaign);
    await goesOn(person, groups, `meanwhile ${code}`);
    const { groups: outcomes } = await progressOf(person, campaign);
    for (const { last_error } of outcomes) expect(last_error).toContain(`refused the file for the moment (${code})`);
    await person.call('venom/cancel-campaign', { campaign_id: campaign });
  });

  test.each([429, 503])('while the file host answers %i, which uses up no attempt', async (code) => {
    const { person, groups } = somebody;
    refuseFiles(() => code);
    const text = `busy ${code}`;
    const campaign = await sendCampaign(person, groups, text, fileFor(text));
    await until(
      () => Promise.resolve(brought),
      (times) => times >= 2,
    );
    await goesOn(person, groups, `meanwhile ${code}`);
    peer.behave();
    expect((await finished(person, campaign)).totals).toMatchObject({ sent: 6, failed: 0 });
    expect(await attemptsOf(campaign)).toEqual([1, 1, 1, 1, 1, 1]);
    expect(timesShown(peer, text)).toEqual(allOnce(6));
  });

  test('while WhatsApp names no media host, with that reason', async () => {
    const { person, groups } = somebody;
    peer.script.refuseQuery = ({ namespace }) => (namespace === 'w:m' ? 403 : undefined);
    const campaign = await sendCampaign(person, groups, 'where to', fileFor('where to'));
    await tried(campaign);
    await goesOn(person, groups, 'meanwhile, where to');
    const { groups: outcomes } = await progressOf(person, campaign);
    for (const { last_error } of outcomes)
      expect(last_error).toContain('did not say where to upload the file to (403)');
    await person.call('venom/cancel-campaign', { campaign_id: campaign });
  });

  test.each([
    [413, 'does not take a file of this size'],
    [415, 'does not take this file'],
  ])('when a file is rejected for good with %i, after one upload', async (code, reason) => {
    const { person, groups } = somebody;
    refuseFiles(() => code);
    const campaign = await sendCampaign(person, groups, `never ${code}`, fileFor(`never ${code}`));
    // Three equal refusals in a row pause the campaign, and not the account.
    const { groups: outcomes } = await until(
      () => progressOf(person, campaign),
      ({ totals }) => totals.failed === 3,
    );
    const errors = outcomes.flatMap(({ last_error }) => last_error ?? []);
    expect(errors).toEqual(Array.from({ length: 3 }, () => expect.stringContaining(reason)));
    expect(await statusOfCampaign(person, campaign)).toMatchObject({ status: 'paused' });
    expect(brought).toBe(1);
    await person.call('venom/cancel-campaign', { campaign_id: campaign });
    await goesOn(person, groups, `after ${code}`);
  });
});

test.each([401, 403])(
  'another token is fetched at once when the host refuses the one it was given: %i',
  async (code) => {
    const { person, groups } = somebody;
    let asked = 0;
    peer.script.refuseQuery = ({ namespace }) => {
      if (namespace === 'w:m') asked += 1;
      return undefined;
    };
    refuseFiles(() => (brought === 1 ? code : undefined));
    const text = `stale ${code}`;
    const campaign = await sendCampaign(person, groups, text, fileFor(text));
    expect((await finished(person, campaign)).totals).toMatchObject({ sent: 6, failed: 0 });
    expect([brought, asked]).toEqual([2, 2]);
    expect(timesShown(peer, text)).toEqual(allOnce(6));
  },
);

test('fails after the last attempt when a file is rejected each time, with the reason', async () => {
  const { person, groups } = somebody;
  refuseFiles(() => 403);
  const campaign = await sendCampaign(person, groups, 'in vain', fileFor('in vain'));
  const { totals, groups: outcomes } = await finished(person, campaign);
  expect(totals).toMatchObject({ sent: 0, failed: 6 });
  for (const { last_error } of outcomes) expect(last_error).toContain('refused the file for the moment (403)');
  expect((await statusOf(person)).status).toBe('connected');
});
