/** Adds up what several statements read. Pure. */
import type { GroupSums, RunSums } from './select-posts.ts';

const OF_GROUP = ['sent', 'failed', 'recipients', 'delivered', 'read', 'reactions', 'replies', 'views'] as const;
const OF_RUN = ['sent', 'failed', 'delivered', 'read', 'acknowledging'] as const;

/** Adds sums to those of the same groups. */
export function addSums(all: Map<number, GroupSums>, some: readonly GroupSums[]): void {
  for (const one of some) {
    const other = all.get(one.groupId);
    if (!other) {
      all.set(one.groupId, one);
      continue;
    }
    for (const field of OF_GROUP) other[field] += one[field];
    other.viewsSeen ||= one.viewsSeen;
    if (one.firstSentAt && !(other.firstSentAt && other.firstSentAt <= one.firstSentAt))
      other.firstSentAt = one.firstSentAt;
    if (one.lastSentAt && !(other.lastSentAt && other.lastSentAt >= one.lastSentAt)) other.lastSentAt = one.lastSentAt;
    if ((one.errorRunId ?? 0) > (other.errorRunId ?? 0))
      Object.assign(other, { error: one.error, errorRunId: one.errorRunId, isWaiting: one.isWaiting });
  }
}

/** Adds sums to those of the same runs. */
export function addRunSums(all: Map<number, RunSums>, some: readonly RunSums[]): void {
  for (const one of some) {
    const other = all.get(one.runId);
    if (!other) all.set(one.runId, one);
    else for (const field of OF_RUN) other[field] += one[field];
  }
}
