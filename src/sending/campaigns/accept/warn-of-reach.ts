import { readCount, readOne, sql, type Connection } from '../../../platform/database/statements.ts';
import type { FollowUp, PostExtras } from '../../../content/post/post-extras.ts';
import { findCampaignOfWorkspace } from '../store.ts';
import { percentOf, reads } from '../roll-up/roll-up-runs.ts';
import type { CheckWarning } from './warn-of-frequency.ts';
import type { WorkspaceId } from '../../../platform/database/schema.ts';

/** WhatsApp's own choices, by their seconds. */
const DAYS: Readonly<Record<number, string>> = { 86_400: '24 hours', 604_800: '7 days', 2_592_000: '30 days' };

/** What the author should know of a post that mentions everybody, is pinned, or quotes an earlier one. */
export async function warnOfReach(
  db: Connection,
  workspaceId: WorkspaceId,
  { groupIds, extras }: { groupIds: readonly number[]; extras: PostExtras },
): Promise<CheckWarning[]> {
  const { mentionAll, pinSeconds, replyTo, followUp } = extras;
  return [
    ...(mentionAll ? [await warnOfMention(db, groupIds)] : []),
    ...(pinSeconds === undefined ? [] : [warnOfPin(pinSeconds)]),
    ...(replyTo ? await warnOfQuotes(db, workspaceId, { groupIds, replyTo }) : []),
    ...(followUp ? [await countFollowed(db, workspaceId, { groupIds, followUp })] : []),
  ];
}

async function warnOfMention(db: Connection, groupIds: readonly number[]): Promise<CheckWarning> {
  const { people, large } = await readOne<{ people: number; large: number }>(db)`
    select coalesce(sum(greatest(g.participants - 1, 0)), 0)::int as people, count(*) filter (where g.participants >= 33)::int as large
    from unnest(${[...groupIds]}::bigint[]) i (group_id) join groups g on g.group_id = i.group_id`;
  const whom = `Everybody is mentioned: ${people === 1 ? 'one person is' : `${people} people are`} notified, also where they muted the group.`;
  const admins =
    ' In groups of 33 members or more only admins can do that: where you are no admin, the post leaves without the mention.';
  return { code: 'mentions_everybody', message: large > 0 ? whom + admins : whom, params: { people } };
}

function warnOfPin(seconds: number): CheckWarning {
  return {
    code: 'pins_posts',
    message: `Each post is pinned for ${DAYS[seconds] ?? `${seconds} seconds`}, which takes as long again as sending it. WhatsApp shows three pinned posts in a group, and a further one takes the place of the oldest. Where only admins may pin and you are none, the post stays unpinned, and the analytics say so.`,
    params: { days: Math.round(seconds / 86_400) },
  };
}

async function warnOfQuotes(
  db: Connection,
  workspaceId: WorkspaceId,
  { groupIds, replyTo }: { groupIds: readonly number[]; replyTo: NonNullable<PostExtras['replyTo']> },
): Promise<CheckWarning[]> {
  const without = await readCount(db)`
    with run as (
      select o.workspace_id, o.run_id, t.group_ids
      from campaigns k join runs o on o.workspace_id = k.workspace_id and o.campaign_id = k.campaign_id
      join contents t on t.content_id = o.content_id
      where k.public_id = ${replyTo.campaignId}::uuid and k.workspace_id = ${workspaceId}
        and (${replyTo.runId ?? null}::bigint is null or o.run_id = ${replyTo.runId ?? null}::bigint)
      order by o.run_id desc limit 1
    )
    select count(*)
    from unnest(${[...groupIds]}::bigint[]) i (group_id) join groups g on g.group_id = i.group_id
    where g.kind = 'channel' or not exists (
      select from run r
      join deliveries d on d.workspace_id = r.workspace_id and d.run_id = r.run_id and d.position = array_position(r.group_ids, i.group_id)
      left join revisions v on v.workspace_id = d.workspace_id and v.run_id = d.run_id and v.position = d.position
      where d.status = 'sent' and v.recalled_at is null and v.wanted is distinct from 'recall')`;
  if (without === 0) return [];
  const which = without === 1 ? 'One of the groups did' : `${without} of the groups did`;
  return [
    {
      code: 'reply_without_quote',
      message: `${which} not get the post that this one replies to: there it is posted without a quote. Channels show no quotes.`,
      params: { groups: without },
    },
  ];
}

/** How many groups a follow-up would go to if it were sent now. */
async function countFollowed(
  db: Connection,
  workspaceId: WorkspaceId,
  { groupIds, followUp }: { groupIds: readonly number[]; followUp: FollowUp },
): Promise<CheckWarning> {
  const campaignId = (await findCampaignOfWorkspace(db, workspaceId, followUp.campaignId)) ?? 0;
  const { left, unknown } = await readOne<{ left: number; unknown: number }>(db)`
    with ${reads({ workspaceId, campaignId, runId: followUp.runId })}
    select count(*) filter (where percent < ${followUp.underPercent}::int)::int as left, count(*) filter (where percent is null)::int as unknown
    from (select ${percentOf(sql.ref('i.group_id'))} as percent from reads r, unnest(${[...groupIds]}::bigint[]) i (group_id)) g`;
  const groups = groupIds.length;
  const percent = followUp.underPercent;
  return {
    code: 'follow_up_groups',
    message: `As of now, ${left} of ${groups} groups would get this follow-up: fewer than ${percent} % of their members have read. It is checked again when it is sent. Of ${unknown} groups the reads are unknown: they are left out.`,
    params: { left, groups, percent, unknown },
  };
}
