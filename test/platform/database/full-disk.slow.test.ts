import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectDatabase } from '../../../src/platform/database/connect.ts';
import { createLog } from '../../../src/platform/log/log.ts';
import { post, type Answer } from '../../support/app.ts';
import { PNG } from '../../support/inputs/sample-files.ts';
import { until } from '../../support/ledger.ts';
import { fillDisk, mayMount, mountDisk, unmountDisk } from '../../support/servers/own-disk.ts';
import { startService, type Service } from '../../support/service/service.ts';
import { signUpSender, type Sender } from '../../support/service/storm.ts';

const MEGABYTES = 112;

let folder: string;
let service: Service | undefined;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'campanile-full-'));
});
afterAll(async () => {
  await service?.kill();
  if (mayMount) unmountDisk(folder);
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
});

const FULL = 'The disk that the database is on is full';

/** Sends small campaigns with a picture of its own each; resolves to the answer, which is 200 or a well-formed 503. */
function createSend({ url }: Service, { token, groupIds }: Sender) {
  let count = 0;
  return async (): Promise<Answer<{ campaign_id: string }>> => {
    const picture = Buffer.concat([PNG, Buffer.alloc(40_000, String(++count))]);
    const campaign = { name: `No. ${count}`, html: `No. ${count}`, image: picture.toString('base64') };
    const answer = await post(url, 'venom/add-campaign', { ...campaign, group_metadata_ids: groupIds }, token);
    const isPutOff =
      answer.status === 503 && answer.body.message === FULL && Number(answer.headers.get('retry-after')) > 0;
    expect(answer.status === 200 || isPutOff, JSON.stringify(answer.body)).toBe(true);
    return answer as unknown as Answer<{ campaign_id: string }>;
  };
}

/** Fills the WAL: the server cannot run without room for it. */
async function useUpLog(): Promise<void> {
  const address = { socketFolder: join(folder, 'data/socket'), port: 5432, user: 'campanile', database: 'postgres' };
  const db = connectDatabase(address, { log: createLog('silent'), poolSize: 1 });
  const switchOften = async () => {
    for (let round = 0; round < 50; round++)
      await sql`select pg_logical_emit_message(false, 'test', 'x'), pg_switch_wal()`.execute(db);
  };
  // The error depends on how far the shutdown of the server has come.
  await expect(switchOften()).rejects.toThrow(/connection|No space left|EPIPE|ECONNRESET/i);
  await db.destroy();
}

test.runIf(mayMount)(
  'answers writes 503 on a full disk, keeps accepted campaigns, and recovers by itself',
  async () => {
    expect(mountDisk(folder, MEGABYTES)).toBe(true);
    service = await startService({ folder, environment: { SANDBOX_SPEED: '50', DISK_FLOOR_MB: '0' } });
    const sender = await signUpSender(service.url, 'alice');
    const send = createSend(service, sender);
    const accepted: string[] = [];
    const sendOne = async () => {
      const { status, body } = await send();
      if (status === 200) accepted.push(body.data.campaign_id);
      return status;
    };
    for (let index = 0; index < 3; index++) expect(await sendOne()).toBe(200);

    const filler = join(folder, 'filler');
    await fillDisk(filler);
    await until(sendOne, (status) => status === 503);
    expect((await fetch(`${service.url}/health/live`)).status).toBe(200);
    const readiness = async () => {
      const answer = await fetch(`${service?.url}/health/ready`);
      return (await answer.json()) as { status: string; message?: string; checks: object };
    };
    expect(await readiness()).toMatchObject({ status: 'unavailable', message: FULL });
    await useUpLog();
    for (let index = 0; index < 20; index++) await sendOne();
    expect(await readiness()).toMatchObject({ status: 'unavailable', message: FULL });
    expect(service.log()).toContain('No space left on device');

    await rm(filler);
    await until(sendOne, (status) => status === 200).catch((error: unknown) => {
      throw new Error(`what the service said:\n${service?.log().slice(-5_000)}`, { cause: error });
    });
    for (const campaign_id of accepted) {
      const read = async () => {
        const { status, body } = await post(service?.url ?? '', 'venom/get-campaign', { campaign_id }, sender.token);
        return status === 200 ? (body.data as unknown as { status: string }).status : String(status);
      };
      expect(await until(read, (status) => status === 'completed')).toBe('completed');
    }
    expect(await until(readiness, ({ status }) => status === 'ok')).toMatchObject({
      status: 'ok',
      checks: { database: 'ok' },
    });
    // The server crashed. It restarts by itself if it has enough room, and the service restarts it otherwise.
    expect(service.log()).toMatch(/PANIC: .*No space left on device/);
    expect(await service.stop()).toBe(0);
  },
);
