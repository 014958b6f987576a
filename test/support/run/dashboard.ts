import { openDashboard } from '../../../src/app/dashboard.ts';
import { createLog } from '../../../src/platform/log/log.ts';

/** Builds the dashboard once if it is stale, so that no test's service has to. */
export default async function setup(): Promise<void> {
  const dashboard = openDashboard(createLog('warn'));
  await dashboard.build();
  if (dashboard.state() !== 'built') throw new Error('the dashboard could not be built');
}
