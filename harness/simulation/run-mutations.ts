/** Plants one bug after the other and tells which seed finds it: `npm run simulate -- --mutations`. */
import { readFile } from 'node:fs/promises';
import { openChildren } from './children.ts';
import { edit, isSql, type Mutation } from './mutations.ts';
import { connectControl, TEMPLATE, type ServerAddress } from './server.ts';
import { shrink } from './shrink.ts';

export interface Found {
  seed: number;
  /** The first violation that the checker reported. */
  rule: string;
  /** Statements after shrinking; those asked for, when it was not shrunk. */
  steps: number;
}

/** The first seeds that find it, of so many; nothing if none does. */
export async function tryMutation(
  servers: readonly ServerAddress[],
  mutation: Mutation,
  { seeds, steps, isShrunk }: { seeds: number; steps: number; isShrunk: boolean },
): Promise<Found | undefined> {
  const [inSql, inCode] = [mutation.edits.filter(isSql), mutation.edits.filter((one) => !isSql(one))];
  const sources = new Map<string, string>();
  for (const { file } of inSql)
    sources.set(file, await readFile(new URL(`../../src/${file}`, import.meta.url), 'utf8'));
  const define = (text: string) => Promise.all(servers.map((server) => redefine(server, text)));
  for (const [file, source] of sources)
    await define(inSql.filter((one) => one.file === file).reduce((text, one) => edit(one, text), source));
  const children = openChildren(servers, inCode.length > 0 ? mutation.name : undefined);
  try {
    let next = 1;
    const all: Array<Found & { harmed: number[] }> = [];
    const look = async () => {
      while (next <= seeds && all.length === 0) {
        const seed = next++;
        const { faults, harmed } = await children.run({ seed, steps, isComplete: false });
        const [rule] = faults;
        if (rule !== undefined) all.push({ seed, rule, steps, harmed });
      }
    };
    await Promise.all(servers.map(look));
    const [found] = all.toSorted((one, other) => one.seed - other.seed);
    if (!found || !isShrunk) return found;
    const least = await shrink(found, (asked) => children.run({ ...asked, isComplete: false }));
    return { ...found, steps: least.steps };
  } finally {
    await children.close();
    for (const source of sources.values()) await define(source);
  }
}

/** In the database that all worlds are copies of. */
async function redefine(server: ServerAddress, text: string): Promise<void> {
  const control = await connectControl(server);
  await control.query(`alter database ${TEMPLATE} with allow_connections true`);
  const template = await connectControl({ ...server, database: TEMPLATE });
  await template.query(text);
  await template.end();
  await control.query(`alter database ${TEMPLATE} with allow_connections false`);
  await control.end();
}
