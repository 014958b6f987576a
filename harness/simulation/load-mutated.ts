/** Loaded before a simulating process: has files of the service read with the bug that the environment names. */
import { registerHooks } from 'node:module';
import { edit, MUTATIONS } from './mutations.ts';

const mutation = MUTATIONS.find(({ name }) => name === process.env.SIMULATED_MUTATION);
if (!mutation) throw new Error('there is no such mutation');
const edits = Map.groupBy(mutation.edits, ({ file }) => new URL(`../../src/${file}`, import.meta.url).href);

registerHooks({
  load(asked, context, nextLoad) {
    const loaded = nextLoad(asked, context);
    const own = edits.get(asked);
    if (!own || loaded.source === undefined || loaded.source === null) return loaded;
    const { source } = loaded;
    const text = typeof source === 'string' ? source : Buffer.from(source as Uint8Array).toString('utf8');
    return { ...loaded, source: own.reduce((edited, one) => edit(one, edited), text) };
  },
});
