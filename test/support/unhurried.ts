import { OVERLOAD_LIMITS, type OverloadLimits } from '../../src/api/server/load-shedder.ts';

/** Without limits on the event loop's lag: the test runs in the same process, and the machine may be busy. */
export const UNHURRIED: OverloadLimits = {
  ...OVERLOAD_LIMITS,
  lagMs: { open: Infinity, heavy: Infinity, any: Infinity },
};
