import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findBreaches } from '../support/architecture.ts';

const root = join(import.meta.dirname, '../..');

function readSources(): Map<string, string> {
  const files = ['src', 'client', 'web'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true }),
  );
  return new Map(
    files
      .filter((file) => file.isFile() && /\.tsx?$/.test(file.name))
      .map((file) => join(file.parentPath, file.name))
      .map((path) => [relative(root, path), readFileSync(path, 'utf8')]),
  );
}

test('every file keeps to its room', () => {
  const sources = readSources();
  expect(sources.size).toBeGreaterThan(80);
  expect(findBreaches(sources)).toEqual([]);
});

describe('a rule that is broken on purpose is found:', () => {
  const breachesOf = (files: Record<string, string>) => findBreaches(new Map(Object.entries(files)));

  test('a room that imports one it may not', () => {
    expect(breachesOf({ 'src/text/render.ts': "import { pg } from '../database/connect.ts';" })).toEqual([
      'src/text/render.ts may not import src/platform/database/connect.ts',
    ]);
  });

  test('also as a type, over several lines, as a re-export, and when it is needed', () => {
    expect(
      breachesOf({
        'src/users/a.ts': "import type {\n  Post,\n} from '../messenger/messenger.ts';",
        'src/users/b.ts': "export { x } from '../groups/store.ts';",
        'src/users/c.ts': "const late = await import('../campaigns/store.ts');",
      }),
    ).toHaveLength(3);
  });

  test('a room that imports what wires the rooms', () => {
    expect(breachesOf({ 'src/campaigns/a.ts': "import { startApp } from '../app.ts';" })).toHaveLength(1);
  });

  test('the dashboard that takes code of the server, or looks further than the contract', () => {
    expect(
      breachesOf({
        'web/api/a.ts': "import { nothing } from '../../src/api/contract/fields.ts';",
        'web/api/b.ts': "import type { Caller } from '../../src/api/operation.ts';",
        'web/compose/c.tsx': "import { render } from '../../src/text/render.ts';",
        'web/compose/d.tsx': "import { parseWhatsApp } from '../../src/content/text/parse-whatsapp.ts';",
        'web/compose/e.tsx': "import type { z } from '../../src/api/contract/fields.ts';",
      }),
    ).toEqual([
      'web/api/a.ts may import only types from src/api/contract/fields.ts',
      'web/api/b.ts may not import src/api/operation.ts',
      'web/compose/c.tsx may not import src/text/render.ts',
    ]);
  });

  test('a cycle, also one of types', () => {
    expect(
      breachesOf({
        'src/lib/a.ts': "import { b } from './b.ts';",
        'src/lib/b.ts': "import type { C } from './c.ts';",
        'src/lib/c.ts': "import { a } from './a.ts';",
      }),
    ).toEqual(['a cycle: src/lib/a.ts → src/lib/b.ts → src/lib/c.ts → src/lib/a.ts']);
  });

  test('the database used as more than a type by the edge, and SQL written there', () => {
    expect(
      breachesOf({
        'src/http/routes/a.ts': "import { connectDatabase } from '../../database/connect.ts';",
        'src/http/routes/b.ts': 'const rows = sql`select 1`;',
      }),
    ).toEqual([
      'src/http/routes/a.ts may import only types from src/platform/database/connect.ts',
      'src/http/routes/b.ts names SQL',
    ]);
  });

  test('a client that takes more of the service than the types of its contract, or what only Node.js has', () => {
    expect(
      breachesOf({
        'client/a.ts': "import { isTimeZone } from '../src/lib/time-zone.ts';",
        'client/b.ts': "import type { Caller } from '../src/http/operation.ts';",
        'client/c.ts': "import { failure } from '../src/http/contract/envelope.ts';",
        'client/d.ts': "import { setTimeout } from 'node:timers/promises';",
        'client/e.ts': "import { z } from 'zod';",
        'client/f.ts': "const key = Buffer.from('x');",
        'client/g.ts':
          "import type { z } from 'zod';\nimport type { Failure } from '../src/http/contract/envelope.ts';",
        'src/users/h.ts': "import { createClient } from '../../clients/typescript/client.ts';",
      }),
    ).toEqual([
      'client/a.ts may not import src/platform/time/time-zone.ts',
      'client/b.ts may not import src/api/operation.ts',
      'client/c.ts may import only types from src/api/contract/envelope.ts',
      'src/users/h.ts may not import clients/typescript/client.ts',
      'client/d.ts names what a browser has not got',
      'client/e.ts names what a browser has not got',
      'client/f.ts names what a browser has not got',
    ]);
  });

  test('a spelling of the wire, Baileys or the environment outside their rooms', () => {
    expect(
      breachesOf({
        'src/users/a.ts': 'const wharsapp_number = 1;',
        'src/accounts/b.ts': "import { makeWASocket } from 'baileys';",
        'src/users/c.ts': 'const url = process.env.URL;',
      }),
    ).toHaveLength(3);
  });
});
