import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The files that take more than ten seconds, longest first. The order is all that hangs on it: a stale one costs time, no more. */
const LONGEST = [
  'web/pages',
  'whatsapp/long-text',
  'deliveries/replaced',
  'database/outages',
  'web/campaigns',
  'whatsapp/survive',
  'whatsapp/media',
  'web/journey',
  'contract/fuzz',
  'service/soak',
  'service/crashes',
  'users/delete-account',
  'web/compose',
  'database/lost',
  'campaigns/revise',
  'web/build',
  'whatsapp/pauses',
  'web/account',
  'web/own-number',
  'service/main',
  'database/failover',
  'deliveries/revise',
  'whatsapp/take-over',
  'campaigns/halt',
  'project/tutorial',
  'analytics/sums',
  'analytics/adds-up',
  'contract/limits',
  'database/given-up',
  'http/big-bodies',
  'http/events',
  'campaigns/clock',
  'web/groups',
  'whatsapp/revise',
  'whatsapp/ration',
  'whatsapp/known-groups',
  'whatsapp/first-hour',
  'whatsapp/channel-queries',
];

/**
 * Begins with what takes longest, so that nobody waits at the end for one file that began late. Vitest does so only where it has run
 * before. Those that use the processor and those that wait are mixed as they come.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const at = LONGEST.indexOf(moduleId.split('/test/').at(-1)?.replace('.test.ts', '') ?? '');
      return at === -1 ? LONGEST.length : at;
    };
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b));
  }
}
