import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/support/longest-first.ts';

const ALL = ['test/**/*.test.ts'];
/** What links WhatsApp: its client is prepared once in a process, for one server, and quietens the console of that process. */
const WITH_WHATSAPP = [
  'whatsapp/*',
  'web/account',
  'web/own-number',
  'messenger/conformance',
  'accounts/history',
  'contract/fuzz',
].map((name) => `test/${name}.test.ts`);
/** What needs a browser, kills or starts processes, waits, or searches for long: `npm run test:quick` leaves it out, with those above. */
const SLOW = [
  'web/{build,campaigns,compose,groups,journey,pages,session}',
  'database/{embedded*,failover,full-disk,given-up,lost,outages}',
  'service/{crashes,door,journey,main,soak,worker-loops}',
  'project/{examples,readme,tutorial,witness}',
  'deliveries/{effort,poison,replaced,revise,revise-newest,stalled-claim}',
  'accounts/rest',
  'campaigns/{check,clock,halt,occurrences,revise}',
  'text/{html-to-whatsapp,laws}',
  'receipts/effort',
  'users/{delete-account,sign-in}',
  'contract/{access,clients,connections,limits}',
  'analytics/adds-up',
  'http/{big-bodies,events,idempotency,overload,uploads}',
].map((name) => `test/${name}.test.ts`);

/** What runs on each PostgreSQL: our statements, but for what is about processes that die, and about the calendar. */
const MATRIX = [
  'analytics/*',
  'campaigns/!(occurrences)',
  'database/schema',
  'deliveries/!(poison|replaced)',
  'service/journey',
].map((name) => `test/${name}.test.ts`);

const common = {
  testTimeout: 60_000,
  hookTimeout: 60_000,
  // What is waited for takes as long as a busy machine makes it take.
  expect: { poll: { timeout: 30_000 } },
  // Two cores are meant, and files wait for a third of their time. A file has its own database, so files may run beside each other;
  // tests within one follow each other.
  maxWorkers: 3,
};

export default defineConfig(({ mode }) => {
  const isQuick = mode === 'quick';
  const isMatrix = mode === 'matrix';
  return {
    test: {
      ...common,
      reporters: ['./test/support/slowest-files.ts', 'default'],
      globalSetup: ['test/support/dashboard.ts', 'test/support/postgres.ts'],
      sequence: { sequencer: LongestFirst },
      projects: [
        // To load the service anew for each file would take a second of a processor for each.
        {
          test: {
            ...common,
            name: 'together',
            include: isMatrix ? MATRIX : ALL,
            exclude: isQuick ? [...WITH_WHATSAPP, ...SLOW] : WITH_WHATSAPP,
            isolate: false,
          },
        },
        ...(isQuick || isMatrix ? [] : [{ test: { ...common, name: 'apart', include: WITH_WHATSAPP, isolate: true } }]),
      ],
    },
  };
});
