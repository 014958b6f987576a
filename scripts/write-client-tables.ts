/** Writes the clients' types and tables of idempotent operations from the contract: `npm run docs`. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { format, type FormatConfig } from 'oxfmt';
import { listContracts } from '../src/api/contract/contract.ts';
import { idempotencyOf, type Idempotency } from '../src/api/contract/define-operations.ts';
import { renderClientTypes } from './render-client-types.ts';

const ROOT = join(import.meta.dirname, '..');
const HEAD = 'Whether a request may be repeated, by path. `npm run docs` writes this file from the contract.';

/** The generated files, by path. */
export async function clientTables(): Promise<Record<string, string>> {
  const operations = listContracts().map((one) => ({
    name: one.path.replace('/api/v1/', ''),
    idempotency: idempotencyOf(one),
  }));
  const entries = operations.map(({ name, idempotency }) => `  '${name}': '${idempotency}',\n`);
  const namesOf = (wanted: Idempotency) =>
    operations.filter(({ idempotency }) => idempotency === wanted).map(({ name }) => `        "${name}",\n`);
  const setOf = (wanted: Idempotency) => `frozenset(\n    (\n${namesOf(wanted).join('')}    )\n)\n`;
  return {
    'clients/typescript/types.ts': await formatted(renderClientTypes()),
    'clients/typescript/idempotency.ts': `/** ${HEAD} */\nexport const IDEMPOTENCY = {\n${entries.join('')}} as const;\n`,
    'clients/python/campanile/idempotency.py': `"""${HEAD}"""\n\nALWAYS = ${setOf('always')}\nKEYED = ${setOf('keyed')}`,
  };
}

async function formatted(source: string): Promise<string> {
  const settings = JSON.parse(readFileSync(join(ROOT, '.oxfmtrc.json'), 'utf8')) as FormatConfig;
  const { code, errors } = await format('types.ts', source, settings);
  if (errors.length > 0) throw new Error(errors.map(({ message }) => message).join('; '));
  return code;
}

if (import.meta.main)
  for (const [path, text] of Object.entries(await clientTables())) writeFileSync(join(ROOT, path), text);
