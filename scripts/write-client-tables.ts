/** Writes the clients' tables of idempotent operations from the contract: `npm run docs`. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { listContracts } from '../src/api/contract/contract.ts';
import { idempotencyOf, type Idempotency } from '../src/api/contract/define-operations.ts';

const HEAD = 'Whether a request may be repeated, by path. `npm run docs` writes this file from the contract.';

/** The generated files, by path. */
export function clientTables(): Record<string, string> {
  const operations = listContracts().map((one) => ({
    name: one.path.replace('/api/v1/', ''),
    idempotency: idempotencyOf(one),
  }));
  const entries = operations.map(({ name, idempotency }) => `  '${name}': '${idempotency}',\n`);
  const namesOf = (wanted: Idempotency) =>
    operations.filter(({ idempotency }) => idempotency === wanted).map(({ name }) => `        "${name}",\n`);
  const setOf = (wanted: Idempotency) => `frozenset(\n    (\n${namesOf(wanted).join('')}    )\n)\n`;
  return {
    'clients/typescript/idempotency.ts': `/** ${HEAD} */\nexport const IDEMPOTENCY = {\n${entries.join('')}} as const;\n`,
    'clients/python/campanile/idempotency.py': `"""${HEAD}"""\n\nALWAYS = ${setOf('always')}\nKEYED = ${setOf('keyed')}`,
  };
}

if (import.meta.main)
  for (const [path, text] of Object.entries(clientTables())) writeFileSync(join(import.meta.dirname, '..', path), text);
