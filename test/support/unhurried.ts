import { OVERLOAD_LIMITS, type OverloadLimits } from '../../src/api/server/load-shedder.ts';

/** How late the loop is says nothing of the service here: the test runs in it, too, and the machine may be busy with others. */
export const UNHURRIED: OverloadLimits = {
  ...OVERLOAD_LIMITS,
  lagMs: { open: Infinity, heavy: Infinity, any: Infinity },
};
