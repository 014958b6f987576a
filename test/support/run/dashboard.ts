import { prepareDashboard } from '../../../src/dashboard.ts';
import { createLog } from '../../../src/lib/log.ts';

/** Builds the dashboard once where it is stale, so that no test's service has to. */
export default async function setup(): Promise<void> {
  const folder = await prepareDashboard(createLog('warn')).folder;
  if (folder === undefined) throw new Error('the dashboard could not be built');
}
