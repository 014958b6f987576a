import { cp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { sleep } from '../../../src/platform/time/time.ts';
import { post } from '../../support/app.ts';
import { until } from '../../support/ledger.ts';
import { killWithServer, removeService, startService, type Service } from '../../support/service/service.ts';
import { signUpSender } from '../../support/service/storm.ts';
import { ENTRY } from '../../../harness/witness/start-worker.ts';
import { startWitness, type Witness } from '../../../harness/witness/start-witness.ts';

const GROUPS = 40;
/** A worker checks for a hold with each heartbeat, every 2 s. */
const BEATS_MS = 3_000;

/** A service that sends through a witness, with a running campaign. */
async function startCampaign() {
  const witness = await startWitness();
  onTestFinished(witness.stop);
  const environment = { WITNESS_PORT: String(witness.port), SANDBOX_GAP_MS: '60-80' };
  const start = async (folder?: string, others: Record<string, string> = {}) => {
    const service = await startService({
      ...(folder !== undefined && { folder }),
      entry: ENTRY,
      environment: { ...environment, ...others },
    });
    onTestFinished(() => service.kill());
    return service;
  };
  const service = await start();
  onTestFinished(() => removeService(service));
  const { token } = await signUpSender(service.url, 'alice');
  const groupIds: number[] = [];
  for (let index = 0; index < GROUPS; index++) {
    const { body } = await post(
      service.url,
      'venom/create-group',
      { group_name: `G ${index}`, participants: [] },
      token,
    );
    groupIds.push(Number(body.data?.['group_metadata_id']));
  }
  await post(service.url, 'venom/add-campaign', { name: 'Once', html: 'Once', group_metadata_ids: groupIds }, token);
  await until(
    () => sentBy(witness),
    (sent) => sent >= 5,
  );
  return { witness, service, start, token, data: join(service.folder, 'data') };
}

/** Counts all posts that reached the witness, with any verdict. */
const sentBy = async (witness: Witness) => (await witness.entries()).length;

const allSent = (witness: Witness) =>
  until(async () => new Set((await witness.entries()).map((entry) => entry.chatId)).size, GROUPS);

async function readiness(service: Service): Promise<{ status: number; held: unknown }> {
  const response = await fetch(`${service.url}/health/ready`);
  const body = (await response.json()) as { held?: unknown };
  return { status: response.status, held: body.held };
}

const copy = (from: string, to: string) =>
  cp(from, to, { recursive: true, filter: (path) => !path.endsWith('socket') });

/** Waits for longer than the service would take to begin sending. */
async function expectHeld(service: Service, witness: Witness): Promise<void> {
  const before = await sentBy(witness);
  expect(await readiness(service)).toEqual({ status: 200, held: expect.stringContaining('campanile release') });
  expect(service.log()).toMatch(/"level":"error".*sends nothing/);
  await sleep(BEATS_MS);
  expect(await sentBy(witness)).toBe(before);
}

test('holds a backup that is restored in the middle of a campaign, and sends nothing again', async () => {
  const { witness, service, start, data } = await startCampaign();
  await killWithServer(service);
  await copy(data, `${data}-backup`);
  const again = await start(service.folder);
  await allSent(witness);
  await again.stop();
  const sent = await sentBy(witness);
  await rm(data, { recursive: true });
  await rename(`${data}-backup`, data);
  const restored = await start(service.folder);
  await expectHeld(restored, witness);
  expect(await sentBy(witness)).toBe(sent);
});

test.for([
  ['with its STATE_DIR', 'state'],
  ['with an empty STATE_DIR', 'nowhere'],
] as const)('holds a folder that is copied and started beside the original %s', async ([, state]) => {
  const { witness, service, start, data } = await startCampaign();
  await killWithServer(service);
  await copy(data, `${data}-copy`);
  const living = await start(service.folder);
  const folder = { DATA_DIR: `${data}-copy`, STATE_DIR: join(service.folder, state) };
  const copied = await start(service.folder, folder);
  await allSent(witness);
  expect(await readiness(living)).toEqual({ status: 200, held: undefined });
  await expectHeld(copied, witness);
  const entries = await witness.entries();
  expect(entries.filter((entry) => entry.verdict === 'accepted')).toHaveLength(GROUPS);
});

test('does not hold after a crash, a restart, a renamed folder, or a lost STATE_DIR', async () => {
  const { witness, service, start, data } = await startCampaign();
  await service.kill();
  const moved = { DATA_DIR: `${data}-renamed` };
  await rename(data, moved.DATA_DIR);
  const renamed = await start(service.folder, moved);
  expect(await readiness(renamed)).toEqual({ status: 200, held: undefined });
  await renamed.stop();
  await rm(join(service.folder, 'state'), { recursive: true, force: true });
  const last = await start(service.folder, moved);
  await allSent(witness);
  expect(await readiness(last)).toEqual({ status: 200, held: undefined });
  expect(last.log()).not.toContain('sends nothing');
});
