import { findOwnAccounts, lockOwnLedger } from '../../accounts/store.ts';
import { diffValues } from '../../../workspaces/audit/diff-values.ts';
import { recordAudit, type Actor } from '../../../workspaces/audit/record-audit.ts';
import { actOnce, findResult, type IdempotencyKey } from '../../../workspaces/idempotency/once.ts';
import { requireGroups } from '../../groups/require-groups.ts';
import { saveMedia } from '../../../content/media/store.ts';
import { warnOfFilms } from './warn-of-films.ts';
import { checkFiles, requireFiles } from '../../../content/post/post-files.ts';
import { QUOTAS, type Quotas } from '../../../workspaces/quotas/quotas.ts';
import { warnOfTexts } from '../../../content/post/translations.ts';
import { warnOfPastDates } from '../../../content/text/past-dates.ts';
import { listLosses } from '../../../content/text/warnings.ts';
import { requireCountedGroups } from './ballot-problems.ts';
import type { Template } from '../../../content/post/fill-post.ts';
import { bindFields, type BoundPost } from '../../values/bind-fields.ts';
import { requireFit, type PostWithFields } from '../../values/check-values.ts';
import { saveCard } from './prepare-card.ts';
import { warnOfTranslations } from './prepare-translations.ts';
import { preparePost, type PostInput, type PrepareDeps, type PreparedPost } from './prepare-post.ts';
import { countBound, requireLists, warnOfEmptyLists } from './resolve-lists.ts';
import { requireFreeExternalId } from '../../accounts/own-data.ts';
import { requireMentionsLeft, requireReach } from './require-reach.ts';
import { insertCampaign, type NewCampaign, type Plan } from '../store.ts';
import { requireNoApproval } from '../../../workspaces/approval/approval-rules.ts';
import { readNow } from '../../../platform/database/read-now.ts';
import { runTransaction } from '../../../platform/database/run-transaction.ts';
import type { WorkspaceId } from '../../../platform/database/schema.ts';
import { readOne, type Connection, type Database } from '../../../platform/database/statements.ts';
import { AppError, type FieldError } from '../../../platform/errors/errors.ts';

export interface AcceptedCampaign {
  campaignId: string;
  groupCount: number;
  /** Sentences for the author. Absent in a result that an earlier version stored under an idempotency key. */
  warnings?: string[];
  /** Of a schedule, IANA. Absent as above. */
  timeZone?: string | null;
}

export interface AcceptDeps extends PrepareDeps {
  db: Database;
  /** The usual ones unless given. */
  quotas?: Quotas | undefined;
  /** IANA zone of users who chose none; UTC unless given. */
  timeZone?: string | undefined;
}

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
  /** Of a schedule: as in `PlannedPart`. Default is null. */
  plannedUntil?: Date | null;
  /** With it a repeated request is answered as the first one was. */
  key: IdempotencyKey | undefined;
  /** Validate all of it, and write nothing. Default is false. */
  isDryRun?: boolean | undefined;
}

const UNLINKED: ReadonlySet<string> = new Set(['unlinked', 'linking', 'logged_out']);
const NOT_LINKED =
  'Your account is not linked to a messaging application: the posts wait until you link it, and expire if you do not';
const HELD = 'Nothing is sent for any user, since the ledger is held: the posts wait until an administrator resumes it';

/** Writes what a campaign begins with, once its runs are there. */
export type Start = (
  trx: Connection,
  stored: {
    workspaceId: WorkspaceId;
    campaignId: number;
    /** The installation's; UTC unless given. */ timeZone?: string;
  },
) => Promise<void>;

/**
 * Accepts a campaign, sent now or scheduled: when this resolves, campaign, content, runs and the writes of `start` are durable. Throws
 * 400 for an invalid post, 404 for groups of another workspace or a campaign to reply to, and 409 or `no_room` for an exhausted quota or
 * cap, and where the post needs an approval.
 */
export async function acceptCampaign(
  deps: AcceptDeps,
  { key, ...request }: CampaignRequest,
  start: Start,
): Promise<AcceptedCampaign> {
  const { db } = deps;
  const first = await findResult<AcceptedCampaign>(db, key);
  if (first) return first;
  const prepared = await prepareCampaign(deps, request);
  const { actor, plan, dueAt, plannedUntil = null } = request;
  return runTransaction(db, request, (trx) =>
    actOnce(trx, key, async () => {
      await requireNoApproval(trx, actor.workspaceId, countBound(prepared));
      const campaign = await saveFiles(trx, deps, request, prepared);
      const campaignId = await writeCampaign(trx, deps, { actor, campaign, dueAt, plannedUntil, start });
      const { groupIds, warnings } = prepared;
      return { campaignId, groupCount: groupIds.length, warnings, timeZone: plan.timeZone };
    }),
  );
}

export type PreparedCampaign = Omit<PreparedPost, 'warnings' | 'fields'> & {
  workspaceId: WorkspaceId;
  /** Of a post with fields or translations. */
  template: Template | undefined;
  warnings: string[];
};

/**
 * Validates everything about a campaign that depends on no lock, and writes nothing. `before`: a campaign that is there already. Throws 400
 * and 404 as `acceptCampaign`.
 */
export async function prepareCampaign(
  deps: AcceptDeps,
  { actor, input, plan, problems, notes = [], dueAt, before }: Omit<CampaignRequest, 'key'> & { before?: BoundPost },
): Promise<PreparedCampaign> {
  const { db } = deps;
  const plannedNow = async () => dueAt(await readNow(db));
  const { workspaceId } = actor;
  const post = await preparePost(deps, input, problems ?? [], plannedNow);
  const { fields, ...prepared } = await requireLists(db, workspaceId, post);
  const nobody = warnOfEmptyLists(prepared, plan.isSchedule).map(({ message }) => message);
  const accounts = await findOwnAccounts(db, workspaceId);
  const isUnlinked = accounts.every(({ status }) => UNLINKED.has(status));
  const isHeld = accounts.some(({ heldSince }) => heldSince);
  const waits = [...nobody, ...(isUnlinked ? [NOT_LINKED] : []), ...(isHeld ? [HELD] : [])];
  const due = await plannedNow();
  const past = warnOfTexts(prepared.text, fields?.translations, (text) => warnOfPastDates(text, due));
  const films = warnOfFilms([prepared.media, ...(await checkFiles(db, workspaceId, prepared.extras))]);
  const losses = listLosses([...prepared.warnings, ...past, ...films]);
  await requireTargets(db, { ...prepared, template: fields, workspaceId, givenIds: input.groupIds ?? [] });
  const template = fields && (await bindFields(db, workspaceId, fields, prepared.extras, before));
  const hasFile = prepared.media !== null || prepared.extras.files !== undefined || input.withFile === true;
  if (template) await requireFit(db, fitOf(deps, { ...prepared, workspaceId, template, hasFile }, { due, plan }));
  const { groupIds } = prepared;
  const translated = await warnOfTranslations(db, workspaceId, { groupIds, translations: template?.translations });
  const warnings = [...losses, ...translated.map(({ message }) => message), ...notes, ...waits];
  return { ...prepared, workspaceId, template, warnings };
}

/** Returns what decides whether a post with fields fits its groups. */
export function fitOf(
  { timeZone = 'UTC' }: Pick<AcceptDeps, 'timeZone'>,
  post: Pick<PostWithFields, 'workspaceId' | 'groupIds' | 'template' | 'extras' | 'hasFile'>,
  { due, plan }: { due: readonly Date[]; plan: Pick<Plan, 'timeZone'> },
): PostWithFields {
  return { ...post, dueAt: due[0] ?? new Date(0), timeZone: plan.timeZone, installationZone: timeZone };
}

/** Throws 400 and 404 for groups that are not the account's, or that such a post cannot go to. */
export async function requireTargets(
  db: Connection,
  { givenIds, ...post }: Parameters<typeof requireReach>[1] & { givenIds: readonly number[] },
): Promise<void> {
  await requireGroups(db, post.workspaceId, givenIds);
  await requireCountedGroups(db, post.extras, post.groupIds);
  await requireReach(db, post);
}

/** Stores the files of a prepared campaign for its workspace. Returns the campaign as it is written. */
export async function saveFiles(
  trx: Connection,
  { quotas = QUOTAS }: Pick<AcceptDeps, 'quotas'>,
  { actor, input, plan }: Pick<CampaignRequest, 'actor' | 'input' | 'plan'>,
  { workspaceId, html, text, media, extras, card, groupIds, template }: PreparedCampaign,
): Promise<Omit<NewCampaign, 'dueAt'>> {
  await requireFiles(trx, actor.workspaceId, extras);
  const mediaId = media && (await saveMedia(trx, actor.workspaceId, media, quotas));
  const linkPreview = card && (await saveCard(trx, actor.workspaceId, card, quotas));
  const { name, description, isChannelCampaign, isTest, externalId, metadata, tags } = input;
  return {
    workspaceId,
    name,
    description,
    isChannelCampaign,
    ...(isTest !== undefined && { isTest }),
    // The hash of a post that is asked for has no field that was not sent.
    ...(externalId !== undefined && { externalId }),
    ...(metadata !== undefined && { metadata }),
    ...(tags !== undefined && { tags }),
    plan,
    html,
    text,
    mediaId,
    extras: { ...extras, ...(linkPreview && { linkPreview }) },
    ...(template && { template }),
    groupIds,
  };
}

/** Writes a campaign whose files are held, with its runs, and what `start` does. Returns its public id. Locks the ledger. */
export async function writeCampaign(
  trx: Connection,
  { quotas = QUOTAS, timeZone = 'UTC' }: Pick<AcceptDeps, 'quotas' | 'timeZone'>,
  {
    actor,
    campaign,
    dueAt,
    plannedUntil = null,
    start,
  }: { actor: Actor; campaign: Omit<NewCampaign, 'dueAt'>; start: Start } & Pick<
    CampaignRequest,
    'dueAt' | 'plannedUntil'
  >,
): Promise<string> {
  const { workspaceId } = campaign;
  await lockOwnLedger(trx, workspaceId);
  await requireFreeExternalId(trx, 'campaign', campaign);
  const due = dueAt(await enforceCampaignQuota(trx, workspaceId, quotas));
  const [firstAt] = due;
  if (firstAt) await requireMentionsLeft(trx, campaign, { firstAt, timeZone });
  const { campaignId, publicId } = await insertCampaign(trx, { ...campaign, dueAt: due, plannedUntil });
  await start(trx, { workspaceId, campaignId, timeZone });
  const changes = diffValues({}, { status: campaign.plan.isSchedule ? 'scheduled' : 'running' });
  await recordAudit(trx, { ...actor, action: 'campaign.accepted', subject: publicId, changes });
  return publicId;
}

/**
 * Returns the instant of the database's clock. Throws 409 when the workspace has as many campaigns under way or planned as it may have. Its
 * ledger must be locked, so that of two that come at once the second counts the first. Never more than the limit of index entries are read,
 * and nothing is counted twice that could drift apart (docs/explanation/decisions/0044-limit-each-workspace-by-quotas.md).
 */
export async function enforceCampaignQuota(
  trx: Connection,
  workspaceId: WorkspaceId,
  quotas: Pick<Quotas, 'openCampaigns'>,
): Promise<Date> {
  const { now, open } = await readOpenCampaigns(trx, workspaceId, quotas);
  if (open < quotas.openCampaigns) return now;
  throw campaignLimitReached(quotas);
}

/** Returns the instant of the database's clock, and how many campaigns the workspace has under way or planned, as far as its limit. */
export function readOpenCampaigns(
  db: Connection,
  workspaceId: WorkspaceId,
  { openCampaigns: most }: Pick<Quotas, 'openCampaigns'>,
): Promise<{ now: Date; open: number }> {
  // One statement: every campaign needs both.
  return readOne<{ now: Date; open: number }>(db)`
    select campanile_now() as now, count(*)::int as open from (
      select from campaigns
      where workspace_id = ${workspaceId} and coalesce(deleted_at, finished_at, 'infinity'::timestamptz) = 'infinity'
      limit ${most}
    ) c`;
}

export function campaignLimitReached({ openCampaigns: most }: Pick<Quotas, 'openCampaigns'>): AppError {
  return new AppError(
    'campaign_limit_reached',
    `You have reached the limit of ${most.toLocaleString('en')} campaigns under way or planned. Cancel one, or wait for the end of one.`,
  );
}
