import { isDeepStrictEqual } from 'node:util';
import type { WorkspaceId } from '../../../platform/database/schema.ts';
import type { Connection } from '../../../platform/database/statements.ts';
import type { RunKey } from '../../deliveries/settle-runs.ts';
import { remakeListsOfSenders } from '../../groups/group-lists.ts';
import { selectNamedGroups } from '../../groups/store.ts';
import { isBarredFromChannels } from '../accept/require-reach.ts';
import { GROUPS_LIMIT, resolveLists } from '../accept/resolve-lists.ts';
import { readContent, writeContent } from '../store.ts';

/** A run that begins, of a campaign to lists, or where lists decide who sends. */
export interface ListRun extends RunKey {
  campaignId: number;
}

/** Gives campaigns the groups that their lists have now, the first 10,000. The ledgers must be locked. */
export async function renewTargets(trx: Connection, runs: readonly ListRun[]): Promise<void> {
  for (const workspaceId of new Set(runs.map((run) => run.workspaceId))) await remakeListsOfSenders(trx, workspaceId);
  const campaigns = new Map(runs.map(({ campaignId, workspaceId }) => [campaignId, workspaceId]));
  for (const [campaignId, workspaceId] of campaigns) await renewCampaign(trx, workspaceId, campaignId);
}

type Post = Awaited<ReturnType<typeof readContent>>;

/** The same of one campaign, after a change of its post. */
export async function renewCampaign(
  trx: Connection,
  workspaceId: WorkspaceId,
  campaignId: number,
  change: (post: Post) => Post = (post) => post,
): Promise<void> {
  const before = await readContent(trx, campaignId);
  if (!before.extras.groupLists) return;
  const renewed = await resolveLists(trx, workspaceId, change(before));
  const groups = await selectNamedGroups(trx, workspaceId, renewed.groupIds, { withGone: true });
  const fit = groups.filter(({ kind }) => kind !== 'channel' || !isBarredFromChannels(before.extras));
  const content = { ...renewed, groupIds: fit.map(({ groupId }) => groupId).slice(0, GROUPS_LIMIT) };
  if (!isDeepStrictEqual(content, before)) await writeContent(trx, campaignId, content);
}
