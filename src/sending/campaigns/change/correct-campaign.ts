import { execute, hasRow, readRows, type Connection } from '../../../platform/database/statements.ts';
import { lockOwnLedger } from '../../accounts/store.ts';
import { diffValues } from '../../../workspaces/audit/diff-values.ts';
import { recordAudit, type Actor } from '../../../workspaces/audit/record-audit.ts';
import type { WorkspaceId } from '../../../platform/database/schema.ts';
import { requireNoApproval } from '../../../workspaces/approval/approval-rules.ts';
import { requestRevision } from '../../deliveries/request-revision.ts';
import { writeCampaignEvent } from '../../../workspaces/events/write-event.ts';
import { AppError, invalid } from '../../../platform/errors/errors.ts';
import type { UnknownTags } from '../../../content/text/html-to-whatsapp.ts';
import { requireTranslations } from '../accept/prepare-translations.ts';
import { showTranslations, type Translation } from '../../../content/post/translations.ts';
import { choicesOf, listFieldsOf, type Template } from '../../../content/post/fill-post.ts';
import { storeExtras, type PostExtras } from '../../../content/post/post-extras.ts';
import type { StoredCard } from '../../../content/post/stored-card.ts';
import { listLosses } from '../../../content/text/warnings.ts';
import type { AcceptDeps } from '../accept/accept-campaign.ts';
import { isBallot } from '../accept/ballot-problems.ts';
import { dropLostCard, saveCard, type CardRequest } from '../accept/prepare-card.ts';
import { NO_TEXT, prepareChange } from '../accept/prepare-post.ts';
import { QUOTAS } from '../../../workspaces/quotas/quotas.ts';
import { requirePosts } from './control.ts';
import { findBegunRuns } from './find-runs.ts';
import type { Revised } from './recall-campaign.ts';
import { requireInTime, type WindowDeps } from '../../deliveries/too-late.ts';
import { bindFields, type FieldsInPost } from '../../values/bind-fields.ts';
import { requireFit } from '../../values/check-values.ts';
import { findOwnCampaign, readContent, storeTemplate } from '../store.ts';
import { readNow } from '../../../platform/database/read-now.ts';

export type CorrectDeps = AcceptDeps & WindowDeps;

interface Correction {
  campaignId: string;
  /** null: the whole campaign. */
  runId: number | null;
  html: string;
  unknownTags?: UnknownTags | undefined;
  /** Default: whether the campaign has any. */
  withFields?: boolean | undefined;
  /** Posts of groups without a value stay as they are, and say so. `false`: the correction is rejected. Default: as the campaign has it. */
  leavesOut?: boolean | undefined;
  /** Default: a card stays while the text has its link. */
  cardRequest?: CardRequest | undefined;
  /** Required if the posts have some. */
  translations?: readonly Translation[] | undefined;
}

/**
 * Edits the posts of a campaign, or of one of its runs (contract §4, correct-campaign); files stay. Unsent posts leave with the new text;
 * without `runId` those of later runs too. The request is durable when this resolves. The lanes of the workspace carry it out at their pace, and
 * the analytics show the state of each group. A second correction replaces the pending part of the first; recalled posts stay recalled.
 * Throws 400 for invalid html, for a text without the translations that the post has, and for a post that would have neither text nor file, 404,
 * and 409 if nothing is left to correct, or too late for all of it, for a poll or an event, and where the post needs an approval.
 */
export async function correctCampaign(
  deps: CorrectDeps,
  actor: Actor,
  { campaignId: publicId, runId, ...sent }: Correction,
): Promise<Revised & { warnings: string[] }> {
  const { db, quotas = QUOTAS, timeZone = 'UTC' } = deps;
  const { workspaceId, campaignId } = await findOwnCampaign(db, actor.workspaceId, publicId);
  const { template } = await readContent(db, campaignId);
  const before = choicesOf(template);
  const { withFields = before.withFields, leavesOut = before.leavesOut } = sent;
  const change = { ...sent, withFields, leavesOut, image: null };
  const { html, text, fields, card, warnings } = await prepareChange(deps, change, []);
  return db.transaction().execute(async (trx) => {
    const linkPreview = card && (await saveCard(trx, actor.workspaceId, card, quotas));
    await lockOwnLedger(trx, workspaceId);
    requirePosts(await findOwnCampaign(trx, actor.workspaceId, publicId), 'corrected');
    await requireNoReview(trx, campaignId);
    const runs = await findBegunRuns(trx, campaignId, runId);
    const { waiting, before } = await rewrite(trx, {
      translations: sent.translations,
      workspaceId,
      campaignId,
      runId,
      html: html ?? '',
      text: text ?? '',
      fields,
      leavesOut,
      linkPreview,
      installationZone: timeZone,
    });
    const runIds = runs.map((run) => run.runId);
    const { groups, isEmpty } = await requestRevision(trx, workspaceId, runIds, 'correct');
    if (isEmpty && !waiting)
      throw new AppError('nothing_sent', 'Nothing to correct: no post was sent, or all posts were recalled');
    if (!waiting) await requireInTime(trx, deps, { workspaceId, runIds, kind: 'correct' });
    await writeCampaignEvent(trx, 'campaign.corrected', campaignId);
    const after = { text: text ?? '', translations: showTranslations(fields?.translations) ?? null };
    const changes = diffValues(before, after);
    await recordAudit(trx, { ...actor, action: 'campaign.corrected', subject: publicId, changes });
    return { campaignId: publicId, groups, warnings: listLosses(warnings) };
  });
}

/** A 👍 on the post that a review group was shown approves exactly that: it stays as it is. */
async function requireNoReview(trx: Connection, campaignId: number): Promise<void> {
  const isFound = await hasRow(trx)`select from approval_reviews where campaign_id = ${campaignId}`;
  if (isFound)
    throw new AppError(
      'campaign_wrong_state',
      'This post shows a request for approval to the review group, and cannot be corrected: change the request',
    );
}

interface Rewriting extends Pick<Correction, 'translations'> {
  workspaceId: WorkspaceId;
  campaignId: number;
  runId: number | null;
  html: string;
  text: string;
  /** Of a text with fields. */
  fields: FieldsInPost | undefined;
  leavesOut: boolean;
  /** IANA. */
  installationZone: string;
  /** Undefined: a card stays while the text has its link. Null: it goes. */
  linkPreview: StoredCard | null | undefined;
}

/**
 * Gives the runs, and without `runId` the campaign, content with the new text; the old stays as it was. Returns whether any of it is yet
 * to leave, and the text before, of several the newest.
 */
async function rewrite(trx: Connection, rewriting: Rewriting) {
  const { workspaceId, campaignId, runId, html, text, fields, leavesOut, installationZone } = rewriting;
  // Runs that differ in nothing but what they said share it from now on.
  const posts = await readRows<{
    olds: number[];
    groupIds: number[];
    begunRunIds: number[];
    before: string;
    hasFile: boolean;
    extras: PostExtras | null;
    templates: Array<Template | null>;
  }>(trx)`
    select array_agg(content_id) as olds, group_ids as "groupIds", (array_agg(text order by content_id desc))[1] as before,
           media_id is not null or coalesce(extras ? 'files', false) as "hasFile", extras,
           array_agg(template order by content_id desc) as templates,
           array(select r.run_id from runs r where r.workspace_id = ${workspaceId} and r.campaign_id = ${campaignId}
                   and r.content_id = any(array_agg(contents.content_id)) and (${runId}::bigint is null or r.run_id = ${runId})) as "begunRunIds"
    from contents
    where content_id in (
      select content_id from runs
      where workspace_id = ${workspaceId} and campaign_id = ${campaignId} and content_id is not null
        and (${runId}::bigint is null or run_id = ${runId})
      union
      select content_id from campaigns where campaign_id = ${campaignId} and ${runId}::bigint is null)
    group by name, media_id, extras, group_ids
    order by max(content_id) desc`;
  await requireNoApproval(trx, rewriting.workspaceId, Math.max(0, ...posts.map(({ groupIds }) => groupIds.length)));
  if (posts.some(({ extras }) => extras && isBallot(extras)))
    throw new AppError(
      'poll_not_correctable',
      'WhatsApp cannot change a poll or an event. Recall it and send another, or change the runs to come with update-campaign',
    );
  for (const template of posts.flatMap((post) => post.templates)) requireTranslations(rewriting, choicesOf(template));
  if (text === '' && posts.some(({ hasFile }) => !hasFile)) throw invalid([NO_TEXT]);
  for (const { olds, groupIds, begunRunIds, hasFile, extras, templates: had } of posts) {
    const next = correctExtras(extras ?? {}, rewriting);
    // Captions and file names keep their fields.
    const isKept = had.some((one) => choicesOf(one).withFields) && listFieldsOf(next).length > 0;
    const { isLiteral: _, ...left } = fields ?? { text, placeholders: [], leavesOut };
    const said = isKept ? left : fields;
    const before = { template: had[0], extras: extras ?? {} };
    const template = said && (await bindFields(trx, workspaceId, said, next, before));
    if (template) {
      const dueAt = await readNow(trx);
      const post = { workspaceId, groupIds, begunRunIds, template, hasFile, extras: next };
      await requireFit(trx, { ...post, dueAt, timeZone: null, installationZone });
    }
    await execute(trx)`
      with written as (
        insert into contents (campaign_id, name, html, text, media_id, extras, group_ids, template)
        select campaign_id, name, ${html}, ${text}, media_id, ${storeExtras(next)}::jsonb, group_ids, ${storeTemplate(template)}::jsonb
        from contents where content_id = ${olds[0]}
        returning content_id
      ), run as (
        update runs set content_id = (select content_id from written)
        where workspace_id = ${workspaceId} and campaign_id = ${campaignId} and content_id = any(${olds}::bigint[])
          and (${runId}::bigint is null or run_id = ${runId})
      )
      update campaigns set content_id = (select content_id from written)
      where campaign_id = ${campaignId} and content_id = any(${olds}::bigint[]) and ${runId}::bigint is null`;
  }
  const waiting = await hasRow(trx)`
    select from runs where workspace_id = ${workspaceId} and campaign_id = ${campaignId} and status in ('planned', 'running')
      and (${runId}::bigint is null or run_id = ${runId}) limit 1`;
  const [newest] = posts;
  return {
    waiting,
    before: { text: newest?.before, translations: showTranslations(newest?.templates[0]?.translations) },
  };
}

function correctExtras(before: PostExtras, { linkPreview, text, fields }: Rewriting): PostExtras {
  const { linkPreview: _, ...others } = before;
  if (linkPreview === undefined) return dropLostCard(before, text, fields);
  return linkPreview ? { ...others, linkPreview } : others;
}
