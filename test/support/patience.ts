/** Ends a wait for a condition that never comes about: many times what any takes on a busy machine, and less than the runner's limit for a test. */
export const PATIENCE_MS = 180_000;
