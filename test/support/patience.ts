/** Timeout for a condition that never becomes true: many times longer than any wait on a busy machine, and below the runner's limit for a test. */
export const PATIENCE_MS = 180_000;
