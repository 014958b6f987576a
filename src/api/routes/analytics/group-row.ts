import type { Counts, Engagement, GroupRow } from '../../../sending/analytics/group-analytics.ts';
import { rate } from '../rate.ts';

/** A group of a campaign with what became of it there, as the wire has it. */
export function toWireGroup(group: GroupRow) {
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

/** Told only of a campaign of which something was to be recalled or corrected. */
export function toWireRevised({ recalled, corrected }: Counts) {
  return { recalled, corrected };
}
