/** Pins the posts of one run in their groups, or unpins them (contract §4). The lanes of the workspace carry it out at their pace. */
import { execute, readCount, readOne, sql } from '../../../platform/database/statements.ts';
import { recordAudit, type Actor } from '../../../workspaces/audit/record-audit.ts';
import type { Connection, Database } from '../../../platform/database/statements.ts';
import type { RunStatus } from '../../../platform/database/schema.ts';
import { notifyAfterCommit } from '../../../platform/database/notify-after-commit.ts';
import { writeCampaignEvent } from '../../../workspaces/events/write-event.ts';
import { AppError } from '../../../platform/errors/errors.ts';
import { chooseReviser, unlessInHand } from '../../deliveries/choose-reviser.ts';
import { SENDER_GONE } from '../../deliveries/request-revision.ts';
import { changeCampaign, requirePosts } from './control.ts';
import { findBegunRuns } from './find-runs.ts';
import type { WorkspaceId } from '../../../platform/database/schema.ts';

/** `runId` null: the latest run that has begun. */
interface Target {
  campaignId: string;
  runId: number | null;
}

export interface PinRequested {
  campaignId: string;
  runId: number;
  /** In how many groups a post is to be pinned or unpinned. */
  groups: number;
  /** In how many channels, where a post cannot be pinned, it was sent. */
  channels: number;
}

/**
 * Pins the sent posts of a run for so many seconds. Posts of it that are sent later are pinned then. A post that is pinned already stays
 * pinned for so long from now on. The request is durable when this resolves. Throws 404, and 409 if there is nothing to pin.
 */
export function pinCampaign(
  deps: { db: Database },
  actor: Actor,
  { seconds, ...target }: Target & { seconds: number },
): Promise<PinRequested> {
  return request(deps, actor, { ...target, event: 'campaign.pinned' }, async (trx, { workspaceId, runId, status }) => {
    await execute(trx)`
      update runs set pin_seconds = ${seconds}
      where workspace_id = ${workspaceId} and run_id = ${runId} and status = 'running'`;
    const { groups, channels } = await readOne<{ groups: number; channels: number }>(trx)`
      with sent as materialized (
        select d.position, d.group_id, d.account_id, d.sent_at, g.kind = 'channel' as is_channel, ${chooseReviser(sql`d`)} as reviser
        from (
          select * from deliveries where workspace_id = ${workspaceId} and run_id = ${runId} and status = 'sent' order by position) d
        cross join lateral (select kind from groups where group_id = d.group_id limit 1) g
        -- A lookup for each.
        where not coalesce((
          select v.recalled_at is not null or coalesce(v.wanted = 'recall', false) from revisions v
          where v.workspace_id = d.workspace_id and v.run_id = d.run_id and v.position = d.position
          order by v.workspace_id, v.run_id, v.position limit 1), false)
      ), wanted as (
        insert into pins as p (workspace_id, run_id, position, group_id, account_id, wanted, failure, number, seconds, sent_at)
        select ${workspaceId}::bigint, ${runId}::bigint, position, group_id, coalesce(reviser, account_id),
               case when reviser is not null then 'pin' end, case when reviser is null then ${SENDER_GONE}::jsonb end, (select nextval('revision_numbers')), ${seconds}::int, sent_at
        from sent where not is_channel
        on conflict (workspace_id, run_id, position) do update
        set account_id = ${unlessInHand(sql`p`, sql`excluded.account_id`)}, wanted = excluded.wanted, number = excluded.number, seconds = excluded.seconds,
            requested_at = campanile_now(), not_before = null, attempts = 0, failure = excluded.failure
      )
      select count(*) filter (where not is_channel)::int as groups, count(*) filter (where is_channel)::int as channels from sent`;
    // What leaves from now on is pinned then.
    if (groups > 0 || status === 'running') return { groups, channels };
    throw new AppError(
      'nothing_sent',
      channels > 0
        ? 'Nothing to pin: posts in channels cannot be pinned'
        : 'Nothing to pin: no post of this run was sent, or all posts were recalled',
    );
  });
}

/** Unpins the posts of a run that are pinned, or are to be. Posts of it that are sent later are not pinned. Throws 404 and 409. */
export function unpinCampaign(deps: { db: Database }, actor: Actor, target: Target): Promise<PinRequested> {
  return request(deps, actor, { ...target, event: 'campaign.unpinned' }, async (trx, { workspaceId, runId }) => {
    const stopped = await execute(trx)`
      update runs set pin_seconds = null where workspace_id = ${workspaceId} and run_id = ${runId} and pin_seconds is not null`;
    const groups = await readCount(trx)`
      with unpinned as (
        update pins p
        set account_id = ${unlessInHand(sql`p`, sql`coalesce(t.reviser, p.account_id)`)}, wanted = case when t.reviser is not null then 'unpin' end,
            number = (select nextval('revision_numbers')), requested_at = campanile_now(), not_before = null, attempts = 0,
            failure = case when t.reviser is null then ${SENDER_GONE}::jsonb end
        from (
          select q.position, ${chooseReviser(sql`d`)} as reviser
          from pins q
          cross join lateral (
            select * from deliveries d where d.workspace_id = q.workspace_id and d.run_id = q.run_id and d.position = q.position limit 1) d
          where q.workspace_id = ${workspaceId} and q.run_id = ${runId} and (q.wanted = 'pin' or q.pinned_until > campanile_now())) t
        where p.workspace_id = ${workspaceId} and p.run_id = ${runId} and p.position = t.position
        returning p.position
      )
      select count(*) from unpinned`;
    if (groups + stopped === 0) throw new AppError('nothing_sent', 'Nothing to unpin: no post of this run is pinned');
    return { groups, channels: 0 };
  });
}

async function request(
  { db }: { db: Database },
  actor: Actor,
  { campaignId: publicId, runId, event }: Target & { event: 'campaign.pinned' | 'campaign.unpinned' },
  write: (
    trx: Connection,
    run: { workspaceId: WorkspaceId; runId: number; status: RunStatus },
  ) => Promise<Pick<PinRequested, 'groups' | 'channels'>>,
): Promise<PinRequested> {
  return changeCampaign(db, actor, publicId, async (trx, campaign) => {
    requirePosts(campaign, event === 'campaign.pinned' ? 'pinned' : 'unpinned');
    const latest = (await findBegunRuns(trx, campaign.campaignId, runId)).at(-1);
    if (!latest) throw new Error('no run that has begun');
    const found = await write(trx, { workspaceId: campaign.workspaceId, ...latest });
    await writeCampaignEvent(trx, event, campaign.campaignId);
    await recordAudit(trx, { ...actor, action: event, subject: publicId });
    await notifyAfterCommit(trx, 'campanile_revisions');
    return { campaignId: publicId, runId: latest.runId, ...found };
  });
}
