/** The results of a campaign in its groups, as the analytics and their export have them. */
import type { Counts, Engagement, GroupAnalytics, GroupRow } from '../../sending/analytics/group-analytics.ts';
import { NO_REACH, type CampaignReach, type Reach } from '../../sending/analytics/read-reach.ts';
import { explainFailure } from '../../sending/analytics/explain-failure.ts';
import { nameGroup } from './groups.ts';
import { rate } from './rate.ts';

/** The sums over all groups. */
export function sumOfReach({ groups }: CampaignReach): Reach {
  const add = (pick: (one: Reach) => number) => [...groups.values()].reduce((sum, one) => sum + pick(one), 0);
  return {
    ...NO_REACH,
    pinned: add((one) => one.pinned),
    unpinned: add((one) => one.unpinned),
    pinsWaiting: add((one) => one.pinsWaiting),
    pinsFailed: add((one) => one.pinsFailed),
    mentions: add((one) => one.mentions),
    mentionsLeftOut: add((one) => one.mentionsLeftOut),
    quotes: add((one) => one.quotes),
  };
}

/** The figures of pins, mentions and quotes that a campaign has. */
export function shownReach({ hasPins, hasMentions, hasQuotes }: CampaignReach, sums: Reach) {
  const { pinned, unpinned, pinsWaiting, pinsFailed, mentions, mentionsLeftOut, quotes } = sums;
  return {
    ...(hasPins && { pinned, unpinned, pinsWaiting, pinsFailed }),
    ...(hasMentions && { mentions, mentionsLeftOut }),
    ...(hasQuotes && { quotes }),
  };
}

/** The results of a campaign in one group: also what became of pins, mentions and quotes, and how many members were left out. */
export function describeRow(analytics: Pick<GroupAnalytics, 'isRevised' | 'reach'>, row: GroupRow) {
  const { isRevised, reach } = analytics;
  const group = reach.groups.get(row.groupId) ?? NO_REACH;
  const { pinFailure, pinnedUntil, mentionLeftOut, withoutDevices } = group;
  const pin = explainFailure(pinFailure, false);
  const mention = explainFailure(mentionLeftOut, false);
  return {
    ...nameGroup(row),
    ...describeCounts(isRevised, row),
    ...shownReach(reach, group),
    ...(reach.hasPins && { pinError: pin.error, pinnedUntil }),
    pinErrorCode: pin.errorCode,
    pinErrorParams: pin.errorParams,
    ...(reach.hasMentions && { mentionLeftOut: mention.error }),
    mentionLeftOutCode: mention.errorCode,
    mentionLeftOutParams: mention.errorParams,
    membersWithoutDevices: withoutDevices || null,
  };
}

/** What was recalled and corrected is shown only of a campaign that was to be, in part. */
export function describeCounts<Row extends Counts & Engagement>(isRevised: boolean, row: Row) {
  const { delivered, read, acknowledging, recalled, corrected } = row;
  return {
    ...row,
    recalled: isRevised ? recalled : null,
    corrected: isRevised ? corrected : null,
    deliveryRate: rate(delivered, acknowledging),
    readRate: rate(read, acknowledging),
  };
}
