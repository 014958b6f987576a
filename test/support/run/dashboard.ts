import { prepareDashboard } from '../../../src/app/dashboard.ts';
import { createLog } from '../../../src/platform/log/log.ts';

/** Builds the dashboard once if it is stale, so that no test's service has to. */
export default async function setup(): Promise<void> {
  const folder = await prepareDashboard(createLog('warn')).folder;
  if (folder === undefined) throw new Error('the dashboard could not be built');
}
