/** An external PostgreSQL that is restored by its files, with workers whose STATE_DIR is empty. */
import { cp, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { post } from '../../support/app.ts';
import { until } from '../../support/ledger.ts';
import { startOwnPostgres } from '../../support/servers/own-postgres.ts';
import { campanile } from '../../support/service/campanile.ts';
import { removeService, startService, type Service } from '../../support/service/service.ts';
import { signUpSender } from '../../support/service/storm.ts';
import { ENTRY, SECRETS } from '../../../harness/witness/start-worker.ts';
import { startWitness } from '../../../harness/witness/start-witness.ts';

const GROUPS = 40;

/** Returns the reason of a hold, or undefined while the service sends. */
async function heldReason({ url }: Service): Promise<string | undefined> {
  const response = await fetch(`${url}/health/ready`);
  return ((await response.json()) as { held?: string }).held;
}

test('holds a database that was restored by its files when STATE_DIRs are empty, sends nothing, and resumes on release', async () => {
  const witness = await startWitness();
  onTestFinished(witness.stop);
  const postgres = await startOwnPostgres();
  onTestFinished(() => postgres.remove());
  const stateDirs = await mkdtemp(join(tmpdir(), 'campanile-states-'));
  onTestFinished(() => rm(stateDirs, { recursive: true, force: true }));
  const databaseUrl = () => {
    const { user, database, socketFolder, port } = postgres.address();
    return `postgres://${user}@localhost:${port}/${database}?host=${encodeURIComponent(socketFolder)}`;
  };
  const environment = (state: string) => ({
    ...SECRETS,
    DATABASE_URL: databaseUrl(),
    STATE_DIR: join(stateDirs, state),
    WITNESS_PORT: String(witness.port),
    SANDBOX_GAP_MS: '60-80',
  });
  const start = async (state: string) => {
    const service = await startService({ entry: ENTRY, environment: environment(state) });
    onTestFinished(async () => {
      await service.kill();
      await removeService(service);
    });
    return service;
  };
  const sent = async () => (await witness.entries()).length;
  const groupsSent = async () => new Set((await witness.entries()).map((entry) => entry.chatId)).size;

  const first = await start('first');
  const { token } = await signUpSender(first.url, 'alice');
  const groupIds: unknown[] = [];
  for (let index = 0; index < GROUPS; index++) {
    const group = { group_name: `G ${index}`, participants: [] };
    groupIds.push((await post(first.url, 'venom/create-group', group, token)).body.data?.['group_metadata_id']);
  }
  await post(first.url, 'venom/add-campaign', { name: 'Once', html: 'Once', group_metadata_ids: groupIds }, token);
  await until(sent, (count) => count >= 5);
  await first.kill();
  await postgres.end('fast');
  const files = join(postgres.folder, 'postgres');
  await cp(files, `${files}-backup`, { recursive: true });

  await postgres.start();
  const second = await start('first');
  await until(groupsSent, (count) => count === GROUPS);
  await second.stop();
  await postgres.end('fast');
  await rm(files, { recursive: true });
  await rename(`${files}-backup`, files);

  await postgres.start();
  const before = await sent();
  const restored = await start('second');
  const reason = await until(
    async () => ((await sent()) > before ? 'it sends again' : await heldReason(restored)),
    Boolean,
  );
  expect(reason).toMatch(/STATE_DIR.*campanile release/);
  expect(await sent()).toBe(before);

  const released = await campanile(environment('second'), 'release', '--unknown', 'all');
  expect(released).toMatchObject({ code: 0 });
  await post(
    restored.url,
    'venom/add-campaign',
    {
      name: 'Next',
      html: 'Next',
      group_metadata_ids: groupIds.slice(0, 1),
    },
    token,
  );
  await until(sent, (count) => count === before + 1);
  expect(await heldReason(restored)).toBeUndefined();
});
