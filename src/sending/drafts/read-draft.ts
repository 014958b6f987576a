import { readRow, type Database } from '../../platform/database/statements.ts';
import type { Actor } from '../../workspaces/audit/record-audit.ts';
import { inSnapshot } from '../../platform/database/in-snapshot.ts';
import { selectNamedGroups, type NamedGroup } from '../groups/store.ts';
import { readGroupLists, remakeLists } from '../groups/group-lists.ts';
import {
  selectDrafts,
  filesOf,
  noSuchDraft,
  type DraftContent,
  type DraftHead,
  type DraftKind,
  type DraftRow,
} from './draft-store.ts';
import { readFiles, type ShownFile } from '../../content/post/post-files.ts';

export interface FullDraft extends DraftHead {
  content: DraftContent;
  /** Without those that are gone from the messaging application, in the order given. */
  groups: NamedGroup[];
  /** Without those of its lists. */
  ownGroupIds: readonly number[];
  /** Those that are still there. */
  groupListIds: number[];
  /** Some of its groups and lists are gone. */
  hasLostTargets: boolean;
  /** Those that are still there. */
  files: ShownFile[];
}

/**
 * Returns a draft or template of the workspace with all its parts, read in one snapshot (contract §4, list-drafts). Its groups are its own
 * and those that its lists have now. Throws 404.
 */
export async function readDraft(
  { db }: { db: Database },
  { workspaceId }: Actor,
  kind: DraftKind,
  draftId: string,
): Promise<FullDraft> {
  await remakeLists(db, workspaceId);
  return inSnapshot(db, async (trx) => {
    const [head] = await selectDrafts(trx, workspaceId, kind, draftId);
    const draft = await readRow<Pick<DraftRow, 'content' | 'groupIds'>>(trx)`
      select content, group_ids as "groupIds" from drafts where workspace_id = ${workspaceId} and draft_id = ${draftId}`;
    if (!head || !draft) throw noSuchDraft(kind);
    const { content } = draft;
    const lists = await readGroupLists(trx, workspaceId, content.group_list_ids ?? []);
    const groupIds = [...new Set([...draft.groupIds, ...lists.flatMap((list) => list.groupIds)])];
    const groups = await selectNamedGroups(trx, workspaceId, groupIds, { withGone: false });
    const groupListIds = lists.map((list) => list.groupListId);
    const own = new Set(draft.groupIds);
    const ownGroupIds = groups.map(({ groupId }) => groupId).filter((groupId) => own.has(groupId));
    const asked = own.size + new Set(content.group_list_ids).size;
    const hasLostTargets = ownGroupIds.length + groupListIds.length < asked;
    const files = await readFiles(trx, filesOf(content));
    return { ...head, content, groups, ownGroupIds, groupListIds, hasLostTargets, files };
  });
}
