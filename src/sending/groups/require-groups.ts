import type { Connection } from '../../platform/database/statements.ts';
import { selectOwnGroupIds } from './store.ts';
import { AppError, fieldError } from '../../platform/errors/errors.ts';
import type { WorkspaceId } from '../../platform/database/schema.ts';

const NAMED_AT_MOST = 20;

/**
 * Throws 404 naming the ids that are none of the workspace's groups, those of other users among them. `given` as they were sent, in the field
 * `group_metadata_ids` unless another is named that has one id.
 */
export async function requireGroups(
  db: Connection,
  workspaceId: WorkspaceId,
  given: readonly number[],
  field: string | ((index: number) => string) = (index) => `group_metadata_ids.${index}`,
): Promise<void> {
  const own = await selectOwnGroupIds(db, workspaceId, [...new Set(given)]);
  const foreign = given.flatMap((groupId, index) => (own.has(groupId) ? [] : [{ groupId, index }]));
  if (foreign.length === 0) return;
  throw new AppError(
    'group_not_found',
    `You have no group with this id: ${foreign
      .slice(0, NAMED_AT_MOST)
      .map((one) => one.groupId)
      .join(', ')}`,
    {
      details: foreign
        .slice(0, NAMED_AT_MOST)
        .map(({ index }) =>
          fieldError(typeof field === 'string' ? field : field(index), 'unknown_id', { of: 'groups' }),
        ),
    },
  );
}
