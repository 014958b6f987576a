/** Loaded before a simulating process: has one file of the service read with the bug that the environment names. */
import { registerHooks } from 'node:module';
import { mutate, MUTATIONS } from './mutations.ts';

const mutation = MUTATIONS.find(({ name }) => name === process.env.SIMULATED_MUTATION);
if (!mutation) throw new Error('there is no such mutation');
const url = new URL(`../src/${mutation.file}`, import.meta.url).href;

registerHooks({
  load(asked, context, nextLoad) {
    const loaded = nextLoad(asked, context);
    if (asked !== url || loaded.source === undefined || loaded.source === null) return loaded;
    const { source } = loaded;
    const text = typeof source === 'string' ? source : Buffer.from(source as Uint8Array).toString('utf8');
    return { ...loaded, source: mutate(mutation, text) };
  },
});
