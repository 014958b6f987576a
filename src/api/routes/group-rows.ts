/** The results of a campaign in its groups, as the analytics and their export have them. */
import type { Counts, Engagement, GroupRow } from '../../sending/analytics/group-analytics.ts';
import { NO_REACH, type CampaignReach, type Reach } from '../../sending/analytics/read-reach.ts';
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
export function toWireReach({ hasPins, hasMentions, hasQuotes }: CampaignReach, sums: Reach) {
  return {
    ...(hasPins && {
      pinned: sums.pinned,
      unpinned: sums.unpinned,
      pins_waiting: sums.pinsWaiting,
      pins_failed: sums.pinsFailed,
    }),
    ...(hasMentions && { mentions: sums.mentions, mentions_left_out: sums.mentionsLeftOut }),
    ...(hasQuotes && { quotes: sums.quotes }),
  };
}

/** What became of pins, mentions and quotes in one group, as far as the campaign has such things, and the members left out. */
export function toWireGroupReach(reach: CampaignReach, group: Reach) {
  return {
    ...toWireReach(reach, group),
    ...(reach.hasPins && { pin_error: group.pinError, pinned_until: group.pinnedUntil?.toISOString() ?? null }),
    ...(reach.hasMentions && { mention_left_out: group.mentionLeftOut }),
    ...(group.withoutDevices > 0 && { members_without_devices: group.withoutDevices }),
  };
}

/** The results of a campaign in one group, as the wire has them. */
export function toWireGroupRow(group: GroupRow) {
  return {
    group_metadata_id: group.groupId,
    group_name: group.name,
    kind: group.kind,
    participants: group.participants,
    ...toWireCounts(group),
    first_sent_at: group.firstSentAt?.toISOString() ?? null,
    last_sent_at: group.lastSentAt?.toISOString() ?? null,
    last_error: group.lastError,
  };
}

export function toWireCounts(row: Counts & Engagement) {
  return {
    deliveries: row.deliveries,
    queued: row.queued,
    sent: row.sent,
    failed: row.failed,
    cancelled: row.cancelled,
    recipients: row.recipients,
    delivered: row.delivered,
    read: row.read,
    reactions: row.reactions,
    replies: row.replies,
    views: row.views,
    delivery_rate: rate(row.delivered, row.acknowledging),
    read_rate: rate(row.read, row.acknowledging),
  };
}

/** Only of a campaign that was to be recalled or corrected in part. */
export function toWireRevised({ recalled, corrected }: Counts) {
  return { recalled, corrected };
}
