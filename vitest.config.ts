import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/dashboard.ts', 'test/support/postgres.ts'],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // What is waited for takes as long as a busy machine makes it take.
    expect: { poll: { timeout: 30_000 } },
    // Two cores: a file has its own database, so files may run beside each other, tests within one follow each other.
    maxWorkers: 2,
  },
});
