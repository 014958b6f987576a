import {
  execute,
  hasRow,
  readColumn,
  readRows,
  sql,
  type Connection,
  type Database,
} from '../../platform/database/statements.ts';
import type { WorkspaceId } from '../../platform/database/schema.ts';
import { inLedger } from '../accounts/store.ts';
import { resolveLists, type Targeted } from '../campaigns/accept/resolve-lists.ts';
import { readGroupLists, remakeLists } from '../groups/group-lists.ts';
import { hasRunsToCome } from '../campaigns/store.ts';
import { renewCampaign } from '../campaigns/begin/renew-targets.ts';
import { IS_OPEN } from './approval-store.ts';
import { hashValues } from '../values/select-values.ts';
import { hashPost, type AskedPost } from './asked-post.ts';

/** So many take well below a second. */
const STEP = 50;

/**
 * Gives the groups that a list has now to the posts to it that are yet to begin, and to the open requests for approval of such posts, which
 * name them from now on in place of the list. Call it before the list is deleted.
 */
export async function keepGroupsOfList(db: Database, workspaceId: WorkspaceId, groupListId: number): Promise<void> {
  const isToList = sql`-> 'groupLists' -> 'listIds' @> to_jsonb(${groupListId}::bigint)`;
  const campaignIds = await readColumn<number>(db)`
    select c.campaign_id from campaigns c
    -- A lookup for each, whatever the planner believes of the contents.
    cross join lateral (select extras from contents where content_id = c.content_id limit 1) t
    where c.workspace_id = ${workspaceId} and coalesce(c.deleted_at, c.finished_at, 'infinity'::timestamptz) = 'infinity' and t.extras ${isToList}`;
  const isAsked = sql`p.workspace_id = ${workspaceId} and ${IS_OPEN} and p.post -> 'extras' ${isToList}`;
  if (campaignIds.length === 0 && !(await hasRow(db)`select from approvals p where ${isAsked} limit 1`)) return;
  await remakeLists(db, workspaceId, [groupListId]);
  const [list] = await readGroupLists(db, workspaceId, [groupListId]);
  if (!list) return;
  const keep = <Post extends Targeted>(post: Post) => keepGroups(post, list);
  for (let from = 0; from < campaignIds.length; from += STEP)
    await inLedger(db, workspaceId, async (trx) => {
      for (const id of campaignIds.slice(from, from + STEP))
        if (await hasRunsToCome(trx, id)) await renewCampaign(trx, workspaceId, id, keep);
    });
  await db.transaction().execute(async (trx) => {
    const asked = await readRows<{ approvalId: string; post: AskedPost }>(trx)`
      select p.approval_id as "approvalId", p.post from approvals p where ${isAsked}
      order by p.approval_id for no key update`;
    for (const { approvalId, post } of asked) {
      const resolved = await resolveLists(trx, workspaceId, keep(post));
      const kept = await bindValues(trx, workspaceId, post, resolved);
      const hash = hashPost(kept);
      await execute(trx)`
        update approvals set post = ${JSON.stringify(kept)}::jsonb, hash = ${hash}
        where workspace_id = ${workspaceId} and approval_id = ${approvalId}`;
      // Whoever answers on the phone decides on the post to the list, whichever groups it has.
      await execute(trx)`
        update approval_reviews v set hash = ${hash} from approvals p
        where v.workspace_id = ${workspaceId} and v.approval_id = ${approvalId}
          and p.workspace_id = v.workspace_id and p.approval_id = v.approval_id and p.version = v.version`;
    }
  });
}

/** Returns a post with the values of its groups, which are others now; values that have changed since it was asked for stay bound. */
async function bindValues(trx: Connection, workspaceId: WorkspaceId, before: AskedPost, post: AskedPost) {
  const { template, valuesSha256 } = before;
  if (!template || valuesSha256 === undefined) return post;
  const { groupIds } = before;
  if ((await hashValues(trx, workspaceId, { groupIds, template })) !== valuesSha256) return post;
  return { ...post, valuesSha256: await hashValues(trx, workspaceId, { groupIds: post.groupIds, template }) };
}

function keepGroups<Post extends Targeted>(
  post: Post,
  list: { groupListId: number; groupIds: readonly number[] },
): Post {
  const { groupLists, ...extras } = post.extras;
  if (!groupLists) return post;
  const listIds = groupLists.listIds.filter((id) => id !== list.groupListId);
  const groupIds = [...new Set([...groupLists.groupIds, ...list.groupIds])];
  if (listIds.length === 0) return { ...post, extras, groupIds };
  return { ...post, extras: { ...extras, groupLists: { listIds, groupIds } } };
}
