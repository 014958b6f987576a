/** `campanile users create` before the first start of the service, so that no stranger can sign up as the first user. */
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { post } from '../support/app.ts';
import { createEmptyDatabase, type TestDatabase } from '../support/database.ts';
import { temporaryFolder } from '../support/servers/embedded.ts';
import { campanile, type Said } from '../support/service/campanile.ts';
import { removeService, startService } from '../support/service/service.ts';

const ADA = ['users', 'create', 'ada', 'ada@example.com', '+44 20 7946 0123'];

function urlOf({ address }: Pick<TestDatabase, 'address'>): string {
  if ('url' in address) throw new Error('tests need a server on a Unix socket');
  const { user, port, database, socketFolder } = address;
  return `postgres://${user}@localhost:${port}/${database}?host=${encodeURIComponent(socketFolder)}`;
}

/** Starts the service, and signs in with the printed password. Returns the user. */
async function signInAt(folder: string, environment: Record<string, string>, { said }: Said) {
  const service = await startService({ folder, environment });
  onTestFinished(async () => {
    await service.stop();
    await removeService(service);
  });
  const password = / Password: (\S+)\. /.exec(said)?.[1] ?? '';
  const { status, body } = await post(service.url, 'user/authorize_user', { user_name: 'ada', password });
  return { status, user: body.data?.['user_info'], service };
}

test('creates the first user and administrator in an empty DATA_DIR, before the first start', async () => {
  const folder = temporaryFolder();
  const environment = { DATA_DIR: join(folder, 'data'), STATE_DIR: join(folder, 'state'), SIGNUP: 'closed' };
  const created = await campanile(environment, ...ADA);
  expect(created).toEqual({ code: 0, said: expect.stringMatching(/^Created ada\. Password: /) });
  // A wrong DATA_DIR is noticed.
  expect(created.said).toContain(
    `\nThe user is the administrator of a new database, which was created in DATA_DIR (${environment.DATA_DIR}).\n`,
  );
  expect(await signInAt(folder, environment, created)).toMatchObject({ status: 200, user: { user_name: 'ada' } });
  expect((await campanile(environment, 'users', 'list')).said).toMatch(/\nada .* administrator +ada \(owner\)\n$/);
  expect(await campanile(environment, 'release')).toMatchObject({ said: expect.not.stringContaining('Held') });
});

test('creates the first user in an empty database of an own PostgreSQL, before the first start', async () => {
  const database = await createEmptyDatabase();
  onTestFinished(() => database.drop());
  const folder = temporaryFolder();
  const environment = {
    DATABASE_URL: urlOf(database),
    DATA_DIR: join(folder, 'data'),
    STATE_DIR: join(folder, 'state'),
    SIGNUP: 'invite',
  };
  const created = await campanile(environment, ...ADA);
  expect(created).toMatchObject({ code: 0, said: expect.stringContaining('created in DATABASE_URL.') });
  const { status, service } = await signInAt(folder, environment, created);
  expect(status).toBe(200);
  const stranger = { user_name: 'eve', password: 'a bell in every tower', first_name: 'Eve', last_name: '' };
  const numbers = { phone_number: '+44 20 7946 0124', whatsapp_number: '+44 20 7946 0124' };
  const refused = await post(service.url, 'user/create_user', { ...stranger, ...numbers, email: 'eve@example.com' });
  expect(refused).toMatchObject({ status: 403, body: { error_code: 'signup_closed' } });
});

test('other commands never create a database', async () => {
  const DATA_DIR = join(temporaryFolder(), 'data');
  expect(await campanile({ DATA_DIR }, 'users', 'list')).toEqual({
    code: 1,
    said: `DATA_DIR (${DATA_DIR}) contains no database. Set it to the data folder of your Campanile.\n`,
  });
});
