import { isDeepStrictEqual } from 'node:util';
import { readRows, type Connection } from '../../platform/database/statements.ts';
import type { WorkspaceId } from '../../platform/database/schema.ts';
import { fieldError, invalid } from '../../platform/errors/errors.ts';
import { BUILT_IN } from '../../content/fields/field-name.ts';
import { listFieldsOf, listTexts, type BoundField, type Template } from '../../content/post/fill-post.ts';
import { LANGUAGE_KEY } from '../../content/post/translations.ts';
import type { PostExtras } from '../../content/post/post-extras.ts';
import type { Placeholder, TemplateText } from '../../content/text/placeholders.ts';

/** A post with fields or translations, as it is understood. */
export interface FieldsInPost extends TemplateText, Pick<Template, 'translations' | 'isLiteral'> {
  /** Groups without a value are left out of each run. */
  leavesOut: boolean;
}

/** A post before a change. */
export interface BoundPost {
  template: Template | null | undefined;
  extras: PostExtras;
  /** Its fields give way to those that have their names now, and those that are gone are unknown. Default is `false`. */
  bindsByName?: boolean | undefined;
}

/**
 * Returns the template of a post, which names its fields by their ids: another name or another kind of a field changes no post, nor does a
 * change of other parts of it. Throws 400 for fields that the workspace does not have.
 */
export async function bindFields(
  db: Connection,
  workspaceId: WorkspaceId,
  said: FieldsInPost,
  extras: PostExtras,
  before?: BoundPost,
): Promise<Template> {
  const { text, placeholders, leavesOut, translations, isLiteral } = said;
  const kept = keptFields(said, extras, before);
  const texts = listTexts(said);
  const ofAll = isLiteral ? [] : listFieldsOf(extras);
  const found = [...Array.from(texts.values(), (one) => one.placeholders).flat(), ...ofAll];
  const keys = [...new Set(found.map(({ key }) => key))];
  const keptIds = Array.from(kept.values(), ({ fieldId }) => fieldId);
  const rows =
    keys.length === 0
      ? []
      : await readRows<{ fieldId: number; key: string; kind: string }>(db)`
        select field_id as "fieldId", folded_name as key, kind from fields
        where workspace_id = ${workspaceId} and (folded_name = any(${keys}::text[]) or field_id = any(${keptIds}::bigint[]))`;
  const fields: Record<string, BoundField> = {};
  const unknown = new Set<string>();
  for (const { name, key } of found) {
    const builtIn = BUILT_IN.find((one) => one === key);
    const row = rows.find((one) => one.key === key);
    const ofBefore = kept.get(key);
    // A field that is gone gives way to a new one of its name.
    const isGone = !rows.some(({ fieldId }) => fieldId === ofBefore?.fieldId);
    const bound = (before?.bindsByName ? row || isGone : row && isGone) ? undefined : ofBefore;
    if (!builtIn && !row && !bound) unknown.add(name);
    const isNeeded = (one: Placeholder) => one.key === key && one.fallback === undefined && !builtIn;
    const isIn = Array.from(texts).filter(([, one]) => one.placeholders.some(isNeeded));
    const isInAll = isIn.length === texts.size || ofAll.some(isNeeded);
    fields[key] ??= {
      name,
      ...(builtIn ? { builtIn } : row && { fieldId: row.fieldId, ...(row.kind === 'link' && { isLink: true }) }),
      ...bound,
      ...(isInAll ? { isRequired: true } : isIn.length > 0 && { requiredIn: isIn.map(([language]) => language) }),
    };
  }
  if (unknown.size > 0)
    throw invalid([
      fieldError('with_fields', 'field_unknown', { names: [...unknown].slice(0, NAMED_AT_MOST).join(', ') }),
    ]);
  if (translations) fields[LANGUAGE_KEY] = { name: 'language', builtIn: 'language' };
  const choices = {
    ...(leavesOut && { leavesOut }),
    ...(translations && { translations }),
    ...(isLiteral && { isLiteral }),
  };
  return { text, placeholders, fields, ...choices };
}

/** Returns a template in which the present fields of their names stand for fields that were removed. */
export async function replaceRemoved(db: Connection, workspaceId: WorkspaceId, template: Template): Promise<Template> {
  const bound = Object.entries(template.fields).flatMap(([key, { fieldId }]) => (fieldId ? [{ key, fieldId }] : []));
  const rows = await readRows<{ key: string; fieldId: number }>(db)`
    select b.key, f.field_id as "fieldId" from jsonb_to_recordset(${JSON.stringify(bound)}::jsonb) b (key text, "fieldId" bigint)
    join fields f on f.workspace_id = ${workspaceId} and f.folded_name = b.key
    where not exists (select from fields o where o.workspace_id = ${workspaceId} and o.field_id = b."fieldId")`;
  const fields = { ...template.fields };
  for (const { key, fieldId } of rows) fields[key] = { name: key, ...fields[key], fieldId };
  return { ...template, fields };
}

/** Returns what the fields of the parts that a change leaves as they are stand for. */
function keptFields(
  said: FieldsInPost,
  extras: PostExtras,
  before: BoundPost | undefined,
): Map<string, Pick<BoundField, 'fieldId' | 'isLink'>> {
  const kept = new Map<string, Pick<BoundField, 'fieldId' | 'isLink'>>();
  if (!before?.template) return kept;
  const { template } = before;
  const texts = listTexts(template);
  const same = Array.from(listTexts(said)).flatMap(([language, { text, placeholders }]) => {
    const { text: textBefore, placeholders: namedBefore } = texts.get(language) ?? {};
    return text === textBefore && isDeepStrictEqual(placeholders, namedBefore) ? placeholders : [];
  });
  const ofExtras = isDeepStrictEqual(extras, before.extras) ? listFieldsOf(extras) : [];
  for (const { key } of [...same, ...ofExtras]) {
    const { fieldId, isLink } = template.fields[key] ?? {};
    if (fieldId !== undefined) kept.set(key, { fieldId, ...(isLink && { isLink }) });
  }
  return kept;
}

const NAMED_AT_MOST = 5;
