/** The SQL of the how-to for an own PostgreSQL, run as printed on a real server, under names of its own. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectDatabase, type PostgresAddress } from '../../src/platform/database/connect.ts';
import { createLog } from '../../src/platform/log/log.ts';
import { campanile } from '../support/service/campanile.ts';
import { temporaryFolder } from '../support/servers/embedded.ts';
import { startOwnPostgres, type OwnPostgres } from '../support/servers/own-postgres.ts';

const PAGE = readFileSync(join(import.meta.dirname, '../../docs/how-to/use-your-own-postgresql.md'), 'utf8');
const blocks = [...PAGE.matchAll(/^```sql\n([^]*?)^```/gm)].map(([, text = '']) => text);

let server: OwnPostgres;
beforeAll(async () => {
  server = await startOwnPostgres();
});
afterAll(() => server.remove());

async function run(text: string, database: string): Promise<void> {
  const address: PostgresAddress = { ...server.address(), database };
  const db = connectDatabase(address, { log: createLog('silent'), poolSize: 1 });
  try {
    for (const statement of text.split(';').filter((one) => one.trim() !== '')) await sql.raw(statement).execute(db);
  } finally {
    await db.destroy();
  }
}

function environmentOf(role: string, database: string): Record<string, string> {
  const { socketFolder, port } = server.address();
  const host = encodeURIComponent(socketFolder);
  return {
    DATABASE_URL: `postgres://${role}:CHANGE-ME@localhost:${port}/${database}?host=${host}`,
    DATA_DIR: join(temporaryFolder(), 'data'),
  };
}

test('the page has two ways to create the role and the database', () => {
  expect(blocks).toHaveLength(2);
});

test.for([
  ['the owner of the database', 0],
  ['a role with grants', 1],
] as const)('Campanile creates its schema and works as %s, and no other role connects', async ([, index]) => {
  const name = `shop${index}`;
  // The server's own superuser is called campanile.
  const [first = '', second] = (blocks[index] ?? '').replaceAll('campanile', name).split(`\\connect ${name}\n`);
  await run(first, 'postgres');
  if (second !== undefined) await run(second, name);
  const environment = environmentOf(name, name);
  const created = await campanile(environment, 'users', 'create', 'ada', 'ada@example.com', '+44 20 7946 0123');
  expect(created).toMatchObject({ code: 0, said: expect.stringContaining('a new database') });
  expect(await campanile(environment, 'upgrade', '--check')).toMatchObject({ code: 0 });
  const [row] = (await campanile(environment, 'users', 'list')).said.split('\n').slice(1);
  expect(row).toMatch(/^ada .* administrator +ada \(owner\)$/);

  await run(`create role stranger${index} login`, 'postgres');
  for (const words of [['users', 'list'], ['upgrade', '--check'], ['doctor'], ['serve']])
    expect(await campanile(environmentOf(`stranger${index}`, name), ...words)).toMatchObject({
      code: 1,
      said: expect.stringContaining(
        `The database does not admit this service (permission denied for database "${name}")`,
      ),
    });
});
