import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findBreaches, GROUPS, roomsPage } from '../support/architecture.ts';

const root = join(import.meta.dirname, '../..');

function readSources(): Map<string, string> {
  const files = ['src', 'clients/typescript', 'web'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true }),
  );
  return new Map(
    files
      .filter((file) => file.isFile() && /\.tsx?$/.test(file.name))
      .map((file) => join(file.parentPath, file.name))
      .map((path) => [relative(root, path), readFileSync(path, 'utf8')]),
  );
}

test('every file imports only what its room allows', () => {
  const sources = readSources();
  expect(sources.size).toBeGreaterThan(80);
  expect(findBreaches(sources)).toEqual([]);
});

test('the groups are the folders of src', () => {
  const folders = readdirSync(join(root, 'src'), { withFileTypes: true });
  expect(folders.map(({ name }) => name).toSorted()).toEqual(Object.keys(GROUPS).toSorted());
});

test('the page of rooms is current: npm run docs', () => {
  expect(readFileSync(join(root, 'docs/reference/rooms.md'), 'utf8')).toBe(roomsPage());
});

test('each group has a README of at most 25 lines that names existing files', () => {
  const folders = [...Object.keys(GROUPS).map((group) => `src/${group}`), 'web'];
  for (const folder of folders) {
    const text = readFileSync(join(root, folder, 'README.md'), 'utf8');
    expect(text.trimEnd().split('\n').length, folder).toBeLessThanOrEqual(25);
    const names = [...text.matchAll(/`([\w./-]+(?:\.(?:tsx?|sql|md)|\/))`/g)].map(([, name = '']) => name);
    expect(names.filter((name) => ![folder, '.'].some((base) => existsSync(join(root, base, name))))).toEqual([]);
  }
});

describe('the check finds', () => {
  const breachesOf = (files: Record<string, string>) => findBreaches(new Map(Object.entries(files)));

  test('an import from a higher group', () => {
    expect(
      breachesOf({ 'src/content/text/render.ts': "import { add } from '../../sending/campaigns/store.ts';" }),
    ).toEqual(['src/content/text/render.ts may not import src/sending/campaigns/store.ts']);
  });

  test('an unlisted import from a room of the same group', () => {
    expect(breachesOf({ 'src/sending/groups/a.ts': "import { add } from '../campaigns/store.ts';" })).toHaveLength(1);
  });

  test('a type import, one over several lines, a re-export and a dynamic import', () => {
    expect(
      breachesOf({
        'src/identity/a.ts': "import type {\n  Post,\n} from '../messengers/messenger.ts';",
        'src/identity/b.ts': "export { x } from '../sending/groups/store.ts';",
        'src/identity/c.ts': "const late = await import('../sending/campaigns/store.ts');",
      }),
    ).toHaveLength(3);
  });

  test('a file outside every room', () => {
    expect(breachesOf({ 'src/helpers/a.ts': '', 'src/sending/a.ts': '' })).toEqual([
      'src/helpers/a.ts is in no room',
      'src/sending/a.ts is in no room',
    ]);
  });

  test('a dashboard that imports more than the contract', () => {
    expect(
      breachesOf({
        'web/api/a.ts': "import { nothing } from '../../src/api/contract/fields.ts';",
        'web/api/b.ts': "import type { Caller } from '../../src/api/operation.ts';",
        'web/compose/c.tsx': "import { render } from '../../src/content/text/render.ts';",
        'web/compose/d.tsx': "import { parseWhatsApp } from '../../src/content/text/parse-whatsapp.ts';",
        'web/compose/e.tsx': "import type { z } from '../../src/api/contract/fields.ts';",
      }),
    ).toEqual([
      'web/api/a.ts may import only types from src/api/contract/fields.ts',
      'web/api/b.ts may not import src/api/operation.ts',
      'web/compose/c.tsx may not import src/content/text/render.ts',
    ]);
  });

  test('an import cycle, of types too', () => {
    expect(
      breachesOf({
        'src/platform/log/a.ts': "import { b } from './b.ts';",
        'src/platform/log/b.ts': "import type { C } from './c.ts';",
        'src/platform/log/c.ts': "import { a } from './a.ts';",
      }),
    ).toEqual([
      'a cycle: src/platform/log/a.ts → src/platform/log/b.ts → src/platform/log/c.ts → src/platform/log/a.ts',
    ]);
  });

  test('an API that imports more than database types, or contains SQL', () => {
    expect(
      breachesOf({
        'src/api/routes/a.ts': "import { connectDatabase } from '../../platform/database/connect.ts';",
        'src/api/routes/b.ts': 'const rows = sql`select 1`;',
      }),
    ).toEqual([
      'src/api/routes/a.ts may import only types from src/platform/database/connect.ts',
      'src/api/routes/b.ts names SQL',
    ]);
  });

  test('a client that imports anything, or names an API that browsers lack', () => {
    expect(
      breachesOf({
        'clients/typescript/a.ts': "import { isTimeZone } from '../../src/platform/time/time-zone.ts';",
        'clients/typescript/b.ts': "import type { Caller } from '../../src/api/operation.ts';",
        'clients/typescript/c.ts': "import { failure } from '../../src/api/contract/envelope.ts';",
        'clients/typescript/d.ts': "import { setTimeout } from 'node:timers/promises';",
        'clients/typescript/e.ts': "import { z } from 'zod';",
        'clients/typescript/f.ts': "const key = Buffer.from('x');",
        'clients/typescript/g.ts': "import type { Failure } from '../../src/api/contract/envelope.ts';",
        'src/identity/h.ts': "import { createClient } from '../../clients/typescript/client.ts';",
      }),
    ).toEqual([
      'clients/typescript/a.ts may not import src/platform/time/time-zone.ts',
      'clients/typescript/b.ts may not import src/api/operation.ts',
      'clients/typescript/c.ts may not import src/api/contract/envelope.ts',
      'clients/typescript/g.ts may not import src/api/contract/envelope.ts',
      'src/identity/h.ts may not import clients/typescript/client.ts',
      'clients/typescript/d.ts names what browsers do not have',
      'clients/typescript/e.ts names what browsers do not have',
      'clients/typescript/f.ts names what browsers do not have',
    ]);
  });

  test('wire spellings, Baileys or the environment outside their rooms', () => {
    expect(
      breachesOf({
        'src/identity/a.ts': 'const wharsapp_number = 1;',
        'src/sending/accounts/b.ts': "import { makeWASocket } from 'baileys';",
        'src/identity/c.ts': 'const url = process.env.URL;',
      }),
    ).toHaveLength(3);
  });
});
