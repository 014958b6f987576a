import { findOwnAccount, lockOwnLane } from '../../accounts/store.ts';
import { diffValues } from '../../../workspaces/audit/diff-values.ts';
import { recordAudit, type Actor } from '../../../workspaces/audit/record-audit.ts';
import type { Connection, Database } from '../../../platform/database/connect.ts';
import { actOnce, findResult, type IdempotencyKey } from '../../../workspaces/idempotency/once.ts';
import { requireGroups } from '../../groups/require-groups.ts';
import { saveMedia } from '../../../content/media/store.ts';
import { requireFiles } from '../../../content/post/post-files.ts';
import { QUOTAS, type Quotas } from '../../../workspaces/quotas/quotas.ts';
import type { Convert } from '../../../content/text/convert-in-worker.ts';
import { listLosses } from '../../../content/text/warnings.ts';
import { requireCountedGroups } from './ballot-problems.ts';
import { saveCard, type CardDeps } from './prepare-card.ts';
import { preparePost, type PostInput } from './prepare-post.ts';
import { enforceCampaignQuota } from './enforce-campaign-quota.ts';
import { requireMentionsLeft, requireReach } from './require-reach.ts';
import { insertCampaign, type Plan } from '../store.ts';
import { readNow } from '../../../platform/database/read-now.ts';
import type { FieldError } from '../../../platform/errors/issues.ts';

export interface AcceptedCampaign {
  campaignId: string;
  groupCount: number;
  /** Sentences for the author. Absent in a result that an earlier version stored under an idempotency key. */
  warnings?: string[];
  /** Of a schedule, IANA. Absent as above. */
  timeZone?: string | null;
}

export interface AcceptDeps {
  db: Database;
  convert: Convert;
  linkPreviews?: CardDeps['linkPreviews'];
  /** The usual ones unless given. */
  quotas?: Quotas | undefined;
  /** IANA zone of users who chose none; UTC unless given. */
  timeZone?: string | undefined;
}

/** A campaign as it is asked for. */
export interface CampaignRequest {
  actor: Actor;
  input: PostInput;
  plan: Plan;
  /** Problems found before; the answer lists them together with the problems of the post. */
  problems?: readonly FieldError[];
  /** Further sentences for the author. */
  notes?: readonly string[];
  /** When its runs are due, by the database's clock. Throws 400 where no such time is left. */
  dueAt: (now: Date) => Date[];
  /** With it a repeated request is answered as the first one was. */
  key: IdempotencyKey | undefined;
}

const UNLINKED: ReadonlySet<string> = new Set(['unlinked', 'linking', 'logged_out']);
const NOT_LINKED =
  'Your account is not linked to a messaging application: the posts wait until you link it, and expire if you do not';

/**
 * Accepts a campaign, sent now or scheduled: when this resolves, campaign, content, runs and the writes of `start` are durable. Throws
 * 400 for an invalid post, 404 for groups of another workspace or a campaign to reply to, and 409 or `no_room` for an exhausted quota or
 * cap.
 */
export async function acceptCampaign(
  deps: AcceptDeps,
  { actor, input, plan, problems, notes = [], dueAt, key }: CampaignRequest,
  start: (trx: Connection, stored: { accountId: number; campaignId: number }) => Promise<void>,
): Promise<AcceptedCampaign> {
  const { db, quotas = QUOTAS, timeZone = 'UTC' } = deps;
  const first = await findResult<AcceptedCampaign>(db, key);
  if (first) return first;
  const plannedNow = async () => dueAt(await readNow(db));
  const {
    html,
    text,
    media,
    extras,
    card,
    groupIds,
    warnings: found,
  } = await preparePost(deps, actor.userId, input, problems ?? [], plannedNow);
  const { accountId, status } = await findOwnAccount(db, actor.workspaceId);
  const warnings = [...listLosses(found), ...notes, ...(UNLINKED.has(status) ? [NOT_LINKED] : [])];
  await requireGroups(db, accountId, input.groupIds);
  await requireCountedGroups(db, extras, input.groupIds);
  await requireReach(db, { accountId, groupIds, extras, text });
  return db.transaction().execute((trx) =>
    actOnce(trx, key, async () => {
      await requireFiles(trx, actor.workspaceId, extras);
      const mediaId = media && (await saveMedia(trx, actor.workspaceId, media, quotas));
      const linkPreview = card && (await saveCard(trx, actor.workspaceId, card, quotas));
      await lockOwnLane(trx, accountId);
      await enforceCampaignQuota(trx, accountId, quotas);
      const due = dueAt(await readNow(trx));
      const [firstAt] = due;
      if (firstAt) await requireMentionsLeft(trx, { accountId, groupIds, extras }, { firstAt, timeZone });
      const { name, description, isChannelCampaign, isTest } = input;
      const { campaignId, publicId } = await insertCampaign(trx, {
        accountId,
        name,
        description,
        isChannelCampaign,
        ...(isTest !== undefined && { isTest }),
        plan,
        html,
        text,
        mediaId,
        extras: { ...extras, ...(linkPreview && { linkPreview }) },
        groupIds,
        dueAt: due,
      });
      await start(trx, { accountId, campaignId });
      const changes = diffValues({}, { status: plan.isSchedule ? 'scheduled' : 'running' });
      await recordAudit(trx, { ...actor, action: 'campaign.accepted', subject: publicId, changes });
      return { campaignId: publicId, groupCount: groupIds.length, warnings, timeZone: plan.timeZone };
    }),
  );
}
