import { hasRow, readRow, type Connection } from '../../../platform/database/statements.ts';
import { compilePost, type FieldValues, type Template } from '../../../content/post/fill-post.ts';
import { hasFileIn, type PostExtras } from '../../../content/post/post-extras.ts';
import { LANGUAGE_KEY } from '../../../content/post/translations.ts';
import { STORED_EXTRAS } from '../../../content/post/stored-extras.ts';
import { requireGroups } from '../../groups/require-groups.ts';
import { noSuchRun } from '../change/find-runs.ts';
import type { OwnCampaign } from '../store.ts';

/** What a post with fields says to one group. */
export interface GroupPost {
  runId: number;
  /** Of its text. Absent: the main one. */
  language?: string | undefined;
  /** Null: the group got no post, since its values did not fit. */
  text: string | null;
  extras: PostExtras;
  /** By the names of fields, folded. */
  values: FieldValues;
}

interface Row extends Pick<GroupPost, 'runId' | 'extras' | 'values'> {
  template: Template;
  mediaId: number | null;
}

/**
 * Returns what a run, else the last one that has begun, says to a group. Undefined: no group was asked for, or no run with fields has a post
 * for it. Throws 404 for a run that is not the campaign's, and a group that is not the workspace's.
 */
export async function readGroupPost(
  db: Connection,
  { workspaceId, campaignId }: Pick<OwnCampaign, 'workspaceId' | 'campaignId'>,
  { groupId, runId }: { groupId?: number | undefined; runId?: number | undefined },
): Promise<GroupPost | undefined> {
  const isOther =
    runId !== undefined &&
    !(await hasRow(db)`
    select from runs where workspace_id = ${workspaceId} and campaign_id = ${campaignId} and run_id = ${runId}::bigint`);
  if (isOther) throw noSuchRun();
  if (groupId === undefined) return undefined;
  await requireGroups(db, workspaceId, [groupId], 'group_metadata_id');
  const row = await readRow<Row>(db)`
    select r.run_id as "runId", t.media_id as "mediaId", t.template, ${STORED_EXTRAS} as extras, v.field_values as "values"
    from runs r join contents t on t.content_id = r.content_id
    join delivery_values v on v.workspace_id = r.workspace_id and v.run_id = r.run_id
      and v.position = array_position(t.group_ids, ${groupId}::bigint)
    where r.workspace_id = ${workspaceId} and r.campaign_id = ${campaignId} and t.template is not null
      and (${runId ?? null}::bigint is null or r.run_id = ${runId ?? null}::bigint)
    order by r.run_id desc limit 1`;
  if (!row) return undefined;
  const { template, extras, runId: ofRun } = row;
  const { [LANGUAGE_KEY]: _, ...values } = row.values;
  const filled = compilePost(template, { extras, hasFile: hasFileIn(row) })(row.values);
  if ('failure' in filled) return { runId: ofRun, values, text: null, extras: {} };
  return { runId: ofRun, values, ...filled, language: filled.language || undefined };
}
