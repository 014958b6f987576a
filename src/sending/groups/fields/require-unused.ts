import { readRows, type Connection } from '../../../platform/database/statements.ts';
import { AppError, fieldError } from '../../../platform/errors/errors.ts';
import type { WorkspaceId } from '../../../platform/database/schema.ts';

const MOST_NAMED = 5;

interface Use {
  fieldId: number;
  posts: number;
  lists: number;
  /** Of some posts, then of lists. */
  names: string[];
}

/**
 * Throws 409 for a field of which groups need a value in a post that is yet to begin or waits for an approval, or that a list by rule
 * compares. A post with translations needs the field that has the languages of groups. The ledger must be locked.
 */
export async function requireUnused(
  trx: Connection,
  workspaceId: WorkspaceId,
  fields: ReadonlyArray<{ fieldId: number; name: string; kind: string }>,
  removed: readonly number[],
): Promise<void> {
  const languageId = fields.find(({ kind }) => kind === 'language')?.fieldId ?? null;
  const uses = await readRows<Use>(trx)`
    with post as (
      select c.name, t.template
      from campaigns c join contents t on t.content_id = c.content_id
      where c.workspace_id = ${workspaceId} and coalesce(c.deleted_at, c.finished_at, 'infinity'::timestamptz) = 'infinity'
        and exists (select from runs r where r.campaign_id = c.campaign_id
                      and (r.status = 'planned' or r.status = 'running' and r.expanded < r.targets))
      union all
      select p.post ->> 'name', p.post -> 'template' from approvals p
      where p.workspace_id = ${workspaceId} and p.state in ('waiting', 'changes_requested')
    ), used as (
      select name, false as is_list, case when f.value ->> 'builtIn' = 'language' then ${languageId}::bigint
                                          when f.value ?| array['isRequired', 'requiredIn'] then (f.value ->> 'fieldId')::bigint end as field_id
      from post cross join jsonb_each(template -> 'fields') f
      union all
      select l.name, true, (c.condition ->> 'fieldId')::bigint
      from group_lists l cross join jsonb_array_elements(coalesce(l.rule -> 'all', l.rule -> 'any')) c (condition)
      where l.workspace_id = ${workspaceId} group by l.group_list_id, 3
    )
    select field_id as "fieldId", count(*) filter (where not is_list)::int as posts, count(*) filter (where is_list)::int as lists,
           (array_agg(name order by is_list, name))[:${MOST_NAMED}::int] as names
    from used where field_id = any(${[...removed]}::bigint[]) group by field_id
    order by array_position(${[...removed]}::bigint[], field_id)`;
  const details = uses.map(({ fieldId, posts, lists, names: some }) => {
    const names = some.join(', ') + (posts + lists > some.length ? ' …' : '');
    const name = fields.find((field) => field.fieldId === fieldId)?.name ?? '';
    return fieldError(`remove.${removed.indexOf(fieldId)}`, 'field_in_use', { name, posts, lists, names });
  });
  if (details.length > 0)
    throw new AppError(
      'field_in_use',
      `${details.map(({ field, issue }) => `${field} ${issue}`).join('; ')}. Change them first, or send remove_in_use`,
      { details },
    );
}
