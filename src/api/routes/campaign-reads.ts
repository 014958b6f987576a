import { create as contentDisposition } from 'content-disposition';
import type { z } from 'zod';
import type { Actor } from '../../workspaces/audit/record-audit.ts';
import { fileNameOf } from '../../content/media/file-name.ts';
import type { Database } from '../../platform/database/statements.ts';
import { findByIdempotencyKey, getCampaign, type RunDetails } from '../../sending/campaigns/read/get-campaign.ts';
import { findWait } from '../../sending/campaigns/read/find-wait.ts';
import { getMedia } from '../../sending/campaigns/read/get-media.ts';
import { listCampaigns } from '../../sending/campaigns/read/list-campaigns.ts';
import { findByExternalId } from '../../sending/accounts/own-data.ts';
import { noSuchCampaign, type OwnCampaign } from '../../sending/campaigns/store.ts';
import { explainPause } from '../../sending/deliveries/ledger-writes.ts';
import { listRuns } from '../../sending/campaigns/read/list-runs.ts';
import type { campaignReads, getCampaignBody } from '../contract/campaign-reads.ts';
import { campaigns } from '../contract/campaigns.ts';
import type { Handlers } from '../operation.ts';
import type { FromWire } from '../wire.ts';
import { readCursor, writeCursor } from './cursor.ts';
import { describeFiles } from './post-files.ts';
import { describeFields } from './campaigns.ts';
import { readGroupPost } from '../../sending/campaigns/read/read-group-post.ts';
import { describeExtras, describeSaid, toPinFor } from './post-extras.ts';
import { rate } from './rate.ts';

/** Of the hash, for a file that has no name of its own. */
const NAME_CHARACTERS = 12;

export const campaignReadHandlers: Handlers<typeof campaignReads, { db: Database; timeZone: string }> = {
  async listCampaigns(deps, { body, actor }) {
    const { sortBy: by, descending, cursor, withReads, withPost } = body;
    const query = { ...body, sort: by && { by, descending }, after: readCursor(cursor) ?? null };
    const page = await listCampaigns(deps, actor, query);
    return {
      campaigns: page.campaigns.map((campaign) => ({
        ...campaign,
        isFollowUp: campaign.isFollowUp || null,
        metadata: body.withMetadata ? campaign.metadata : null,
        recalled: withReads ? campaign.recalled : null,
        groupCount: withPost ? (campaign.groupCount ?? 0) : null,
        mediaMime: withPost ? campaign.mediaMime : undefined,
        postKind: withPost ? (campaign.postKind ?? 'text') : null,
        excerpt: withPost ? campaign.excerpt : undefined,
        progress: {
          ...campaign,
          delivered: withReads ? campaign.delivered : null,
          read: withReads ? campaign.read : null,
          readRate: withReads ? rate(campaign.read, campaign.acknowledging) : undefined,
        },
      })),
      totals: page.totals,
      tags: page.tags,
      nextCursor: writeCursor(page.next),
    };
  },

  async getCampaign(deps, { body, actor }) {
    const campaign = await getCampaign(deps, actor, await campaignIdOf(deps, actor, body));
    const { groupMetadataId: groupId, runId } = body;
    const inGroup = await readGroupPost(deps.db, campaign, { groupId, runId });
    return {
      ...campaign,
      ...describeHead(campaign),
      ...describeFields(campaign),
      inGroup: inGroup && { ...inGroup, ...describeSaid(inGroup.extras) },
      ...describeExtras(campaign.extras),
      files: describeFiles(campaign.files),
      groupMetadataIds: campaign.groupIds,
      ownGroupMetadataIds: campaign.extras.groupLists && [...campaign.extras.groupLists.groupIds],
      runs: campaign.runs.map(describeRun),
      earlierRuns: campaign.earlierRuns || undefined,
      waitsFor: await findWait(deps, campaign),
    };
  },

  async listRuns(deps, { body, actor }) {
    const { cursor, withCounts, withPost } = body;
    const query = {
      ...body,
      groupIds: body.groupMetadataIds,
      after: readCursor(cursor) ?? 0,
      withGroupLists: withPost,
    };
    const { runs, next } = await listRuns(deps, actor, query);
    return {
      runs: runs.map((run) => ({
        ...run,
        ...(!withCounts && NO_COUNTS),
        isFollowUp: run.isFollowUp || null,
        leftOut: run.leftOut || null,
        post: withPost ? { ...run.post, pinFor: toPinFor(run.post.pinSeconds) } : null,
      })),
      nextCursor: writeCursor(next),
    };
  },

  async getMedia(deps, { body, actor, setHeader }) {
    const { mime, extension, size, pieces } = await getMedia(deps, actor, body);
    const name = fileNameOf(body.sha256.slice(0, NAME_CHARACTERS), extension);
    setHeader('content-type', mime);
    setHeader('content-length', String(size));
    setHeader('content-disposition', contentDisposition(name));
    // A still may be replaced; the file never changes.
    setHeader('cache-control', body.still ? 'private, no-cache' : 'private, max-age=31536000, immutable');
    // Opened by itself in a browser, it runs nothing and is of no origin.
    setHeader('content-security-policy', "sandbox; default-src 'none'; frame-ancestors 'none'");
    return pieces;
  },
};

const ADDING = [campaigns.addCampaign.path, campaigns.addCampaignBatch.path];

/** The schema requires one of the three. */
async function campaignIdOf(
  deps: { db: Database },
  actor: Actor,
  { campaignId, externalId, idempotencyKey: key = '' }: FromWire<z.output<typeof getCampaignBody>>,
): Promise<string> {
  if (campaignId !== undefined) return campaignId;
  if (externalId === undefined) return findByIdempotencyKey(deps, actor, { key, operations: ADDING });
  const { workspaceId } = actor;
  const found = await findByExternalId(deps.db, 'campaign', { workspaceId, externalId });
  if (found === undefined) throw noSuchCampaign();
  return found;
}

/** A campaign's head, which several answers have. */
export function describeHead(campaign: OwnCampaign) {
  return {
    ...campaign,
    campaignId: campaign.publicId,
    desc: campaign.description,
    pauseReason: campaign.pauseReason && explainPause(campaign.pauseReason),
  };
}

/** A run, which several answers have. */
export function describeRun(run: RunDetails) {
  const { status, queued, sent, failed, cancelled } = run;
  const isEmpty = status === 'completed' && queued + sent + failed + cancelled === 0;
  return { ...run, skipped: run.skipped || null, reason: isEmpty ? ('lists_empty' as const) : null };
}

const NO_COUNTS = { groupCount: null, queued: null, sent: null, failed: null };
