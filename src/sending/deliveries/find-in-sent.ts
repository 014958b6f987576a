import type { SendResult } from '../../messengers/messenger.ts';
import type { Turn } from './claim-turns.ts';

type Sent = Extract<SendResult, { kind: 'sent' }>;

/** Returns the positions of the posts of a turn that were sent and in whose results `find` finds something, with what it finds. */
export function findInSent<Found extends string | number>(
  { deliveries }: Turn,
  results: readonly SendResult[],
  find: (result: Sent) => Found | undefined,
): Array<{ position: number; found: Found }> {
  return results.flatMap((result, index) => {
    const position = deliveries[index]?.position;
    const found = result.kind === 'sent' ? find(result) : undefined;
    return position === undefined || found === undefined ? [] : [{ position, found }];
  });
}
