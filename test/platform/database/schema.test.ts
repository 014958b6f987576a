import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import type { Connection } from '../../../src/platform/database/connect.ts';
import { migrate } from '../../../src/platform/database/migrate.ts';
import { createLog } from '../../../src/platform/log/log.ts';
import { createEmptyDatabase } from '../../support/database.ts';

const root = join(import.meta.dirname, '../../..');

const CLASSES: Record<string, string> = {
  bigint: 'number',
  integer: 'number',
  smallint: 'number',
  boolean: 'boolean',
  text: 'string',
  uuid: 'string',
  date: 'string',
  int4multirange: 'string',
  'timestamp with time zone': 'Date',
  bytea: 'Buffer',
  jsonb: 'unknown',
};

const HEAD = `
import type { Insertable, Selectable } from '${root}/node_modules/kysely/dist/index.js';
import type { Schema } from '${root}/src/platform/database/schema.ts';
type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;
type Read<T extends keyof Schema, C> = C extends keyof Schema[T] ? Selectable<Schema[T]>[C & keyof Selectable<Schema[T]>] : never;
type Fits<A, B> = unknown extends B ? Same<A, B> : [A] extends [B] ? Same<Extract<A, null>, Extract<B, null>> : false;
type IsRequired<R, C> = C extends keyof R ? ({} extends Pick<R, C> ? false : true) : false;
declare function holds<_ extends true>(): void;
`;

interface Column {
  table: string;
  column: string;
  type: string;
  /** The labels of an enum. */
  labels: string[] | null;
  nullable: boolean;
  /** The value comes from the database alone. */
  generated: boolean;
  has_default: boolean;
}

async function readColumns(db: Connection): Promise<Column[]> {
  const { rows } = await sql<Column>`
    select c.relname as table, a.attname as column, format_type(a.atttypid, a.atttypmod) as type, not a.attnotnull as nullable,
           (select array_agg(enumlabel::text order by enumsortorder) from pg_enum where enumtypid = a.atttypid) as labels,
           a.attidentity = 'a' or a.attgenerated <> '' as generated, a.atthasdef as has_default
    from pg_attribute a join pg_class c on c.oid = a.attrelid
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and a.attnum > 0 and not a.attisdropped
      and c.relname <> 'migrations'
    order by c.relname, a.attname`.execute(db);
  return rows;
}

/** Lists the claims about the types, each with its subject. */
function listClaims(columns: readonly Column[]): Array<[about: string, claim: string]> {
  const tables = Map.groupBy(columns, ({ table }) => table);
  return [
    ['the tables', `Same<keyof Schema, ${union(tables.keys())}>`],
    ...[...tables].map(([table, own]): [string, string] => [
      `the columns of ${table}`,
      `Same<keyof Schema['${table}'], ${union(own.map(({ column }) => column))}>`,
    ]),
    ...columns.flatMap(({ table, column, nullable, generated, has_default, ...one }): Array<[string, string]> => {
      const type = `${classOf(one)}${nullable ? ' | null' : ''}`;
      const check = one.labels ? 'Same' : 'Fits';
      const written = `Insertable<Schema['${table}']>`;
      return [
        [`${table}.${column} is ${type}`, `${check}<Read<'${table}', '${column}'>, ${type}>`],
        generated
          ? [`${table}.${column} is not written`, `Same<Extract<keyof ${written}, '${column}'>, never>`]
          : [
              `${table}.${column} ${nullable || has_default ? 'may' : 'has to'} be written`,
              `Same<IsRequired<${written}, '${column}'>, ${!nullable && !has_default}>`,
            ],
      ];
    }),
  ];
}

const union = (names: Iterable<string>): string => [...names].map((name) => `'${name}'`).join(' | ');

function classOf({ type, labels }: Pick<Column, 'type' | 'labels'>): string {
  if (labels) return union(labels);
  const known = CLASSES[type.replace('[]', '')];
  if (!known) throw new Error(`say above what ${type} is in TypeScript`);
  return type.endsWith('[]') ? `${known}[]` : known;
}

/** Returns the subjects of the claims that the compiler rejects for these columns. */
function findDifferences(columns: readonly Column[]): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'campanile-schema-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const claims = listClaims(columns);
  const files = ['claims.ts'];
  const compilerOptions = { typeRoots: [`${root}/node_modules/@types`] };
  writeFileSync(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ extends: `${root}/tsconfig.json`, files, compilerOptions, include: [] }),
  );
  const lines = [...HEAD.trim().split('\n'), ...claims.map(([, claim]) => `holds<${claim}>();`)];
  writeFileSync(join(folder, 'claims.ts'), lines.join('\n'));
  const compiler = join(root, 'node_modules/typescript/lib/tsc.js');
  const { stdout } = spawnSync(process.execPath, [compiler, '--pretty', 'false', '--project', folder], {
    encoding: 'utf8',
  });
  const first = lines.length - claims.length;
  const found = stdout.split('\n').filter(Boolean);
  return [
    ...new Set(found.map((error) => claims[Number(/claims\.ts\((\d+),/.exec(error)?.[1]) - 1 - first]?.[0] ?? error)),
  ];
}

test('has types for every table and column of the database, and for no other', async () => {
  const database = await createEmptyDatabase();
  onTestFinished(() => database.drop());
  await migrate(database.db, createLog('silent'));
  expect(findDifferences(await readColumns(database.db))).toEqual([]);

  await sql`
    create table bells (name text);
    alter table groups add colour text;
    alter table group_lists drop column name;
    alter table media alter mime drop not null, alter used_at drop default;
    alter table users alter time_zone set not null, alter phone_number type bigint using 0;
    alter table workers alter worker_id drop identity;
    alter type group_kind add value 'list';
  `.execute(database.db);
  expect(findDifferences(await readColumns(database.db))).toEqual([
    'the tables',
    'the columns of bells',
    'the columns of group_lists',
    'the columns of groups',
    'bells.name is string | null',
    'bells.name may be written',
    'groups.colour is string | null',
    "groups.kind is 'group' | 'community' | 'channel' | 'list'",
    'media.mime is string | null',
    'media.mime may be written',
    'media.used_at has to be written',
    'users.phone_number is number',
    'users.time_zone is string',
    'users.time_zone has to be written',
    'workers.worker_id has to be written',
  ]);
});
