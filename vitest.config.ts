import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/support/longest-first.ts';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/dashboard.ts', 'test/support/postgres.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // What is waited for takes as long as a busy machine makes it take.
    expect: { poll: { timeout: 30_000 } },
    // A file has its own database, so files may run beside each other; tests within one follow each other. Files share what they
    // import with those that ran before them in the same process: to load the service anew for each takes a second of a processor.
    isolate: false,
    // Two cores are meant, and files wait for a third of their time.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
  },
});
