import { OVERLOAD_LIMITS, type OverloadLimits } from '../../src/api/server/load-shedder.ts';

/** Event loop lag means nothing here: the test runs in the same process, and the machine may be busy. */
export const NO_LAG_LIMITS: OverloadLimits = {
  ...OVERLOAD_LIMITS,
  lagMs: { open: Infinity, heavy: Infinity, any: Infinity },
};
