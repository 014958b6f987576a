import { foldFieldName } from '../../../content/text/fold-name.ts';
import type { Connection, Database } from '../../../platform/database/statements.ts';
import { fieldError, invalid, type FieldError } from '../../../platform/errors/errors.ts';
import { diffValues } from '../../../workspaces/audit/diff-values.ts';
import { recordAudit, type Actor } from '../../../workspaces/audit/record-audit.ts';
import { actOnce, findResult, type IdempotencyKey } from '../../../workspaces/idempotency/once.ts';
import { requireGroups } from '../require-groups.ts';
import { selectNamedGroups } from '../store.ts';
import { lockFields, type Field } from './fields.ts';
import {
  fieldsByName,
  planValues,
  readValue,
  unknownField,
  writeValues,
  type GivenValues,
  type ValueChange,
} from './values.ts';

export interface GroupValuesInput {
  groupId: number;
  /** By the names of fields; '' and null take a value away. */
  fields: Readonly<Record<string, string | number | null>>;
}

/** What a change of values came to. */
export interface ValuesSet {
  groups: number;
  values: number;
}

/**
 * Gives groups values, all of them or none (contract §4, set-group-fields). Throws 400 for names of no field, values that a field does not
 * take and repeated groups, 404 for groups that are not the workspace's, 409 for more values than a workspace may have.
 */
export async function setGroupFields(
  { db }: { db: Database },
  actor: Actor,
  input: readonly GroupValuesInput[],
  key?: IdempotencyKey,
): Promise<ValuesSet> {
  const first = await findResult<ValuesSet>(db, key);
  if (first) return first;
  const { workspaceId } = actor;
  return db.transaction().execute((trx) =>
    actOnce(trx, key, async () => {
      const fields = await lockFields(trx, workspaceId);
      const ids = input.map(({ groupId }) => groupId);
      await requireGroups(trx, workspaceId, ids, (index) => `groups.${index}.group_metadata_id`);
      const changes = await planValues(trx, workspaceId, readInput(fields, input));
      await writeValues(trx, workspaceId, changes);
      await recordValues(trx, actor, fields, changes);
      return countChanges(changes);
    }),
  );
}

/** Returns the values as fields have them. Throws 400 with each value that none can have. */
function readInput(fields: readonly Field[], input: readonly GroupValuesInput[]): GivenValues[] {
  const byName = fieldsByName(fields);
  const seen = new Set<number>();
  const problems: FieldError[] = [];
  const given = input.map(({ groupId, fields: cells }, index) => {
    if (seen.has(groupId)) problems.push(fieldError(`groups.${index}.group_metadata_id`, 'not_distinct'));
    seen.add(groupId);
    const values = new Map<number, string>();
    for (const [name, cell] of Object.entries(cells)) {
      const place = `groups.${index}.fields.${name}`;
      const field = byName.get(foldFieldName(name));
      const read = field && readValue(field, String(cell ?? ''));
      if (!read) problems.push(unknownField(place, name, fields));
      else if (values.has(field.fieldId)) problems.push(fieldError(place, 'not_distinct'));
      else if ('problem' in read) problems.push({ field: place, ...nameGroup(read.problem, groupId) });
      else values.set(field.fieldId, read.value);
    }
    return { groupId, values };
  });
  if (problems.length > 0) throw invalid(problems);
  return given;
}

function nameGroup<Problem extends Omit<FieldError, 'field'>>(problem: Problem, groupId: number): Problem {
  return { ...problem, params: { ...problem.params, group_metadata_id: groupId } };
}

export function countChanges(changes: readonly ValueChange[]): ValuesSet {
  return { groups: new Set(changes.map(({ groupId }) => groupId)).size, values: changes.length };
}

/** Records what became of a group's values; of several groups only which groups and fields. Nothing if nothing changed. */
export async function recordValues(
  trx: Connection,
  actor: Actor,
  fields: readonly Field[],
  changes: readonly ValueChange[],
): Promise<void> {
  const ids = [...new Set(changes.map(({ groupId }) => groupId))];
  const [group, ...others] = await selectNamedGroups(trx, actor.workspaceId, ids, { withGone: true });
  if (!group) return;
  const nameOf = new Map(fields.map(({ fieldId, name }) => [fieldId, name]));
  const named = changes.map((change) => ({ ...change, name: nameOf.get(change.fieldId) ?? '' }));
  const take = (which: 'before' | 'after') => Object.fromEntries(named.map((one) => [one.name, one[which]]));
  const some = {
    groups: [group, ...others].map(({ groupId, name }) => `${name} (${groupId})`),
    fields: [...new Set(named.map(({ name }) => name))],
  };
  await recordAudit(trx, {
    ...actor,
    action: 'group_fields.set',
    subject: others.length === 0 ? group.name : `${group.name}, +${others.length}`,
    changes: others.length === 0 ? diffValues(take('before'), take('after')) : diffValues({}, some),
  });
}
