import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { PATIENCE_MS } from './test/support/patience.ts';
import { LongestFirst } from './test/support/run/longest-first.ts';
import { useMemory } from './test/support/run/temporary-folder.ts';

useMemory();

const ALL = ['test/**/*.test.ts'];
/**
 * `*.slow.test.ts` run in `npm run test:all` only, so that `npm test` takes three minutes: files of more than some 20 s, most pages in a
 * browser, rare conditions of WhatsApp, backups and copies, data of older versions, processes that are killed, disks that are full, clients
 * and databases that are slow or gone, exhaustive inputs, simulated worlds.
 */
const SLOW = ['test/**/*.slow.test.ts'];
/** Exhaustive, for hours, in no other run: `npx vitest run --mode long`. */
const LONG = ['test/**/*.long.test.ts'];
/** What links WhatsApp, opens pages in a browser, or starts the service. */
const AROUND = ['test/{messengers/whatsapp,service,web}/**'];

/**
 * What runs on each PostgreSQL: our statements, but for what is about processes that die, what waits or searches, the calendar, and what sends
 * the statements of other files more often.
 */
const MATRIX = [
  'sending/analytics/!(consistency|report-consistency.slow|roll-up.slow)',
  'sending/campaigns/!(clock.slow|fold.slow|halt.slow|import-plan.slow|large-requests.slow|occurrences.slow|revise.slow)',
  'platform/database/{fingerprint.slow,schema}',
  'sending/deliveries/!(poison.slow|revise-newest.slow|stalled-claim.slow|worker-replacement.slow)',
  'service/journey',
].map((name) => `test/${name}.test.ts`);

function filesOf(mode: string): { include: string[]; exclude: string[] } {
  switch (mode) {
    case 'quick':
      return { include: ALL, exclude: [...LONG, ...SLOW, ...AROUND] };
    case 'matrix':
      return { include: MATRIX, exclude: [] };
    case 'all':
      return { include: SLOW, exclude: [] };
    case 'long':
      return { include: LONG, exclude: [] };
    default:
      return { include: ALL, exclude: [...LONG, ...SLOW] };
  }
}

export default defineConfig(({ mode }) => ({
  test: {
    ...filesOf(mode),
    // Ends what hangs, and nothing else: a machine that is ten times slower than two quiet cores stays below it.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    alias: { '@node-rs/argon2': join(import.meta.dirname, 'test/support/run/remember-argon2.ts') },
    setupFiles: ['test/support/run/set-locale.ts'],
    expect: { poll: { timeout: PATIENCE_MS } },
    // Two cores are meant. Files wait for a third of their time, slow ones less: they start browsers and services. More processes at a time
    // cost a virtual machine half as much again. A file has its own database, so files may run beside each other; tests within one follow
    // each other.
    maxWorkers: mode === 'all' ? 2 : 3,
    // To load the service anew for each file would take a second of a processor for each.
    isolate: false,
    reporters: ['./test/support/run/slowest-files.ts', 'default'],
    globalSetup: ['test/support/run/dashboard.ts', 'test/support/run/postgres.ts'],
    sequence: { sequencer: LongestFirst },
  },
}));
