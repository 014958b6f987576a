/** What has to hold for a post that mentions everybody, is pinned, replies to an earlier campaign, or names who sends (contract §3). */
import { hasRow, readCount, sql, type Connection } from '../../../platform/database/statements.ts';
import { accountNotFoundError } from '../../accounts/store.ts';
import { dateIn, dayOf } from '../../accounts/quiet-hours.ts';
import { readWorkspaceRules } from '../../accounts/read-workspace-rules.ts';
import { countMentions } from '../../deliveries/decide-mentions.ts';
import type { PostExtras, ReplyTo } from '../../../content/post/post-extras.ts';
import type { FieldsInPost } from '../../values/bind-fields.ts';
import { TEXT_LIMIT } from '../../../content/text/html-to-whatsapp.ts';
import { countChannels, isBallot } from './ballot-problems.ts';
import { withMentionAll } from '../../../content/text/mention-all.ts';
import { findCampaignOfWorkspace } from '../store.ts';
import { AppError, invalid, fieldError } from '../../../platform/errors/errors.ts';
import type { AccountId, WorkspaceId } from '../../../platform/database/schema.ts';

interface Reaching {
  workspaceId: WorkspaceId;
  /** Without repeats. */
  groupIds: readonly number[];
  extras: PostExtras;
  text: string;
  /** Of a post with translations. */
  template?: Pick<FieldsInPost, 'translations'> | null | undefined;
  /** The campaign that is changed. */
  campaignId?: number | undefined;
}

/**
 * Throws 400 if a post with a mention or a pin goes to a channel, or is too long with `@all`; 404 if the campaign that it replies to, or
 * its run, or that it follows up, is not the workspace's, or the account that is to send is not the workspace's. Costs a query only for such
 * a post.
 */
export async function requireReach(db: Connection, reaching: Reaching): Promise<void> {
  const { workspaceId, groupIds, extras, text, template, campaignId } = reaching;
  const { mentionAll, pinSeconds, replyTo, followUp } = extras;
  if (mentionAll && isBallot(extras)) throw invalid([fieldError('mention_all', 'mention_in_poll')]);
  const texts = [text, ...(template?.translations ?? []).map((one) => one.text)];
  const tooLong = mentionAll ? texts.findIndex((one) => withMentionAll(one).length > TEXT_LIMIT) : -1;
  if (tooLong >= 0) {
    const field = tooLong === 0 ? 'html' : `translations.${tooLong - 1}.html`;
    throw invalid([fieldError(field, 'mention_too_long', { limit: TEXT_LIMIT })]);
  }
  if ((mentionAll || pinSeconds !== undefined) && (await countChannels(db, groupIds)) > 0)
    throw invalid([
      ...(mentionAll ? [fieldError('mention_all', 'mention_in_channels')] : []),
      ...(pinSeconds === undefined ? [] : [fieldError('pin_for', 'pin_in_channels')]),
    ]);
  if (replyTo) await requireEarlier(db, workspaceId, { field: 'reply_to', earlier: replyTo, changed: campaignId });
  if (followUp) await requireEarlier(db, workspaceId, { field: 'follow_up', earlier: followUp, changed: campaignId });
  if (extras.accountId !== undefined && !(await hasAccount(db, workspaceId, extras.accountId)))
    throw accountNotFoundError('account_id');
}

/** Whether a channel may not be among the groups of a post: `requireReach` rejects it, and of ballots `requireCountedGroups`. */
export const isBarredFromChannels = (extras: PostExtras): boolean =>
  isBallot(extras) || extras.mentionAll === true || extras.pinSeconds !== undefined;

const hasAccount = (db: Connection, workspaceId: WorkspaceId, accountId: AccountId): Promise<boolean> => hasRow(db)`
  select from lanes where account_id = ${accountId}::bigint and workspace_id = ${workspaceId}`;

/** Returns the extras of an accepted post without the account and the campaigns that are removed since: it is sent as if it had none. */
export async function dropRemoved(db: Connection, workspaceId: WorkspaceId, extras: PostExtras): Promise<PostExtras> {
  const { accountId, replyTo, followUp, ...kept } = extras;
  const isThere = async (earlier: ReplyTo) =>
    (await findCampaignOfWorkspace(db, workspaceId, earlier.campaignId)) !== undefined;
  return {
    ...kept,
    ...(replyTo && (await isThere(replyTo)) && { replyTo }),
    ...(followUp && (await isThere(followUp)) && { followUp }),
    ...(accountId !== undefined && (await hasAccount(db, workspaceId, accountId)) && { accountId }),
  };
}

/** Throws 404 if the workspace has no such campaign, or it has no such run, and 400 for the campaign that is changed. */
async function requireEarlier(
  db: Connection,
  workspaceId: WorkspaceId,
  {
    field,
    earlier: { campaignId: publicId, runId },
    changed,
  }: { field: 'reply_to' | 'follow_up'; earlier: ReplyTo; changed: number | undefined },
): Promise<void> {
  const found = await findCampaignOfWorkspace(db, workspaceId, publicId);
  if (found === undefined)
    throw new AppError('campaign_not_found', `You have no campaign with the id in ${field}`, {
      details: [fieldError(field, 'unknown_id', { of: 'campaigns' })],
    });
  if (found === changed)
    throw invalid([fieldError(field, field === 'reply_to' ? 'reply_to_itself' : 'follow_up_itself')]);
  if (runId !== undefined && !(await hasRow(db)`select from runs where campaign_id = ${found} and run_id = ${runId}`))
    throw new AppError('run_not_found', `The campaign in ${field} has no run with this id`, {
      details: [fieldError(field, 'unknown_run')],
    });
}

/**
 * Throws 409 if everybody in one of the groups is mentioned, or to be mentioned, on the day of the first run as often as the workspace
 * allows: by posts that were sent, or by other campaigns. Later runs are not looked at: they leave without the mention (contract §5).
 * A run that is moved (`runId`) does not count. With the lane locked no other campaign can be accepted meanwhile. `timeZone` is the installation's.
 */
export async function requireMentionsLeft(
  trx: Connection,
  { workspaceId, groupIds, extras, campaignId, runId }: Omit<Reaching, 'text'> & { runId?: number | undefined },
  { firstAt, timeZone }: { firstAt: Date; timeZone: string },
): Promise<void> {
  if (!extras.mentionAll) return;
  const rules = await readWorkspaceRules(trx, workspaceId, timeZone);
  if (!rules) return;
  const { mentionAllCap: cap, timeZone: zone } = rules;
  if (cap === 0)
    throw new AppError('mention_cap_reached', 'Your workspace allows no mention of everybody', {
      details: [fieldError('mention_all', 'mention_not_allowed')],
    });
  const at = firstAt.toTemporalInstant();
  const { begin, end } = dayOf(zone, at);
  const date = dateIn(zone, at).toString();
  const used = await readCount(trx)`
    with coming as materialized (
      select t.group_id, count(*) as mentions
      from runs r
      join campaigns c on c.campaign_id = r.campaign_id
      join contents k on k.content_id = coalesce(r.content_id, c.content_id),
           unnest(k.group_ids) with ordinality t (group_id, position)
      where r.workspace_id = ${workspaceId} and r.status in ('planned', 'running') and k.extras ? 'mentionAll'
        and r.due_at < ${end.toString()}::timestamptz and (r.status = 'running' or r.due_at >= ${begin.toString()}::timestamptz)
        and r.campaign_id is distinct from ${campaignId ?? null}::bigint and r.run_id is distinct from ${runId ?? null}::bigint
        -- What was decided is counted by the decision.
        and not exists (
          select from everyone_mentions m
          where m.workspace_id = r.workspace_id and m.run_id = r.run_id and m.position = t.position)
      group by t.group_id
    )
    select count(*)
    from unnest(${[...groupIds]}::bigint[]) i (group_id) left join coming o on o.group_id = i.group_id
    where coalesce(o.mentions, 0) + ${countMentions(sql`${workspaceId}`, sql.ref('i.group_id'), date)} >= ${cap}`;
  if (used === 0) return;
  const often = cap === 1 ? 'once' : `${cap} times`;
  throw new AppError(
    'mention_cap_reached',
    `Everybody in ${used === 1 ? 'one' : used} of these groups is mentioned ${often} on ${date} already, as often as your workspace allows in a day`,
    { details: [fieldError('mention_all', 'mention_used_up', { groups: used, date })] },
  );
}
