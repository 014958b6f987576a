import { sql } from 'kysely';
import type { Connection } from '../../platform/database/connect.ts';

/** Pins and mentions of everybody, of a campaign in one group. */
export interface Reach {
  /** Posts that are pinned now. */
  pinned: number;
  /** Posts that are still to be pinned or unpinned. */
  pinsWaiting: number;
  /** Why the latest run with a failure was not pinned or unpinned. */
  pinError: string | null;
  /** Posts that left without the mention of everybody. */
  mentionsLeftOut: number;
  /** Why, of the latest of them. */
  mentionLeftOut: string | null;
}

export interface CampaignReach {
  /** A pin was requested, with the post or later. */
  hasPins: boolean;
  /** Some run has begun whose posts mention everybody. */
  hasMentions: boolean;
  /** By group. */
  groups: ReadonlyMap<number, Reach>;
}

export const NO_REACH: Reach = {
  pinned: 0,
  pinsWaiting: 0,
  pinError: null,
  mentionsLeftOut: 0,
  mentionLeftOut: null,
};

/** Reads what became of the pins and mentions of a campaign. */
export async function readReach(trx: Connection, campaignId: number): Promise<CampaignReach> {
  const { rows: pins } = await sql<Pick<Reach, 'pinned' | 'pinsWaiting' | 'pinError'> & { groupId: number }>`
    select p.group_id as "groupId", count(*) filter (where p.pinned_until > campanile_now())::int as pinned,
           count(*) filter (where p.wanted is not null)::int as "pinsWaiting",
           (array_agg(p.error order by p.run_id desc) filter (where p.error is not null))[1] as "pinError"
    from runs r join pins p on p.account_id = r.account_id and p.run_id = r.run_id
    where r.campaign_id = ${campaignId} group by p.group_id`.execute(trx);
  const { rows: mentions } = await sql<Pick<Reach, 'mentionsLeftOut' | 'mentionLeftOut'> & { groupId: number }>`
    select m.group_id as "groupId", count(*) filter (where m.left_out is not null)::int as "mentionsLeftOut",
           (array_agg(m.left_out order by m.run_id desc) filter (where m.left_out is not null))[1] as "mentionLeftOut"
    from runs r join everyone_mentions m on m.account_id = r.account_id and m.run_id = r.run_id
    where r.campaign_id = ${campaignId} group by m.group_id`.execute(trx);
  const { rows: wanted } = await sql<{ pins: boolean }>`
    select exists (select from runs where campaign_id = ${campaignId} and pin_seconds is not null) as pins`.execute(
    trx,
  );
  const groups = new Map<number, Reach>();
  for (const { groupId, ...found } of [...pins, ...mentions])
    groups.set(groupId, { ...(groups.get(groupId) ?? NO_REACH), ...found });
  return { hasPins: pins.length > 0 || (wanted[0]?.pins ?? false), hasMentions: mentions.length > 0, groups };
}
