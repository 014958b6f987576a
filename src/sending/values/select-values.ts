/** The values of groups, as SQL. */
import {
  readRow,
  readRows,
  readValue,
  sql,
  type Connection,
  type RawBuilder,
} from '../../platform/database/statements.ts';
import type { WorkspaceId } from '../../platform/database/schema.ts';
import type { BuiltIn } from '../../content/fields/field-name.ts';
import type { FieldValues, Template } from '../../content/post/fill-post.ts';
import { isLanguage, knownLanguage, LANGUAGES } from '../../platform/i18n/languages.ts';
import { knownTimeZone } from '../../platform/time/time-zone.ts';

type Times = Readonly<Record<'date' | 'weekday' | 'time', string>>;

/** What the values of a group depend on beside the group. */
export interface RunContext {
  /** The field with the language of each group. Null: there is none. */
  languageFieldId: number | null;
  /** When the run is due, by the language of a group; by '' in that of the owner. */
  times: Readonly<Record<string, Times>>;
}

export interface PlannedRun {
  workspaceId: WorkspaceId;
  dueAt: Date;
  /** Of the schedule, IANA; null: it has none. */
  timeZone: string | null;
  installationZone: string;
}

/** Of one run; groups with a rarer one get the words of the owner. */
const LANGUAGES_LIMIT = 200;

/**
 * Returns when a run is due in the words of its post, which few say. `timeZone` is that of its schedule, else the workspace's counts.
 * `groups` is a relation `i` with the `group_id` of those that get it.
 */
export async function readRunContext(
  db: Connection,
  { workspaceId, dueAt, timeZone, installationZone }: PlannedRun,
  { template: { fields }, groups }: { template: Template; groups: RawBuilder<unknown> },
): Promise<RunContext> {
  const said = Object.values(fields).map(({ builtIn = 'group' }) => builtIn);
  const saysTime = said.some((builtIn) => builtIn in WORDS);
  if (!saysTime && !said.includes('language')) return { languageFieldId: null, times: {} };
  const row = await readRow<{ language: string | null; timeZone: string | null; languageFieldId: number | null }>(db)`
    select u.language, u.time_zone as "timeZone",
           ${selectLanguageField(sql`w.workspace_id`)} as "languageFieldId"
    from workspaces w
    join memberships o on o.workspace_id = coalesce(w.test_of, w.workspace_id) and o.role = 'owner'
    join users u on u.user_id = o.user_id
    where w.workspace_id = ${workspaceId}`;
  const languageFieldId = row?.languageFieldId ?? null;
  if (!saysTime) return { languageFieldId, times: {} };
  const zone = knownTimeZone(timeZone ?? row?.timeZone ?? null, installationZone);
  const usual = LANGUAGES[knownLanguage(row?.language ?? null)].locale;
  const known = await countLanguages(db, workspaceId, groups);
  const times = known.slice(0, LANGUAGES_LIMIT).map(({ language }) => {
    const locale = isLanguage(language) ? LANGUAGES[language].locale : language;
    const isSupported = locale !== '' && Intl.DateTimeFormat.supportedLocalesOf(locale).length > 0;
    return [language, formatTimes(dueAt, isSupported ? locale : usual, zone)];
  });
  return { languageFieldId, times: { ...Object.fromEntries(times), '': formatTimes(dueAt, usual, zone) } };
}

/** The field with the language of each group: the first of its kind. */
const selectLanguageField = (workspaceId: RawBuilder<unknown>): RawBuilder<number | null> => sql`
  (select f.field_id from fields f where f.workspace_id = ${workspaceId} and f.kind = 'language' order by f.position, f.field_id limit 1)`;

const WORDS: Readonly<Record<keyof Times, Intl.DateTimeFormatOptions>> = {
  date: { dateStyle: 'long' },
  weekday: { weekday: 'long' },
  time: { timeStyle: 'short' },
};

function formatTimes(at: Date, locale: string, timeZone: string): Times {
  const format = (word: keyof Times) => new Intl.DateTimeFormat(locale, { ...WORDS[word], timeZone }).format(at);
  return { date: format('date'), weekday: format('weekday'), time: format('time') };
}

/** Of the workspace. */
interface OneGroup {
  workspaceId: WorkspaceId;
  groupId: RawBuilder<unknown>;
}

/** Joins what `selectValues` reads of a group: its values `v`, and the group `g` if the post says something of it. */
export function joinValues({ fields }: Template, one: OneGroup): RawBuilder<unknown> {
  const saysGroup = Object.values(fields).some(({ builtIn }) => builtIn === 'group' || builtIn === 'members');
  const group = sql`cross join lateral ${lookUp('groups', one)} g`;
  return sql`${saysGroup ? group : sql``} left join lateral ${lookUp('group_values', one)} v on true`;
}

/**
 * A lookup by the key alone, whatever the planner believes of a table that has just grown: with an index of the workspace it would read all
 * of the workspace for each group.
 */
export const lookUp = (table: 'groups' | 'group_values', { workspaceId, groupId }: OneGroup) => sql`(
  select * from (select * from ${sql.table(table)} where group_id = ${groupId} limit 1) q where q.workspace_id = ${workspaceId})`;

/** The values of the group `g` that a post needs, by folded name: JSON, null for those that the group does not have. */
export function selectValues({ fields }: Template, context: RunContext): RawBuilder<unknown> {
  const pairs = Object.entries(fields).map(([key, field]) => sql`${key}::text, ${selectValue(field, context)}`);
  return sql`jsonb_build_object(${sql.join(pairs)})`;
}

/** The value of the group `g` in one field. */
export const selectValue = (
  { fieldId, builtIn }: Template['fields'][string],
  context: RunContext,
): RawBuilder<unknown> => (builtIn ? selectBuiltIn(builtIn, context) : valueOf(fieldId ?? 0));

const valueOf = (fieldId: number) => sql`v.field_values ->> ${String(fieldId)}::text`;

function selectBuiltIn(builtIn: BuiltIn | 'language', { languageFieldId, times }: RunContext): RawBuilder<unknown> {
  if (builtIn === 'group') return sql`g.name`;
  if (builtIn === 'members') return sql`g.participants::text`;
  const own = languageFieldId === null ? sql`null::text` : valueOf(languageFieldId);
  if (builtIn === 'language') return own;
  const json = sql`${JSON.stringify(times)}::jsonb`;
  return sql`coalesce(${json} -> (${own}), ${json} -> '') ->> ${builtIn}::text`;
}

/** Returns the values of one group as they are now. */
export async function readGroupValues(
  db: Connection,
  groupId: number,
  template: Template,
  run: PlannedRun,
): Promise<FieldValues> {
  const groups = sql`(select ${groupId}::bigint as group_id) i`;
  const context = await readRunContext(db, run, { template, groups });
  const values = await readValue<FieldValues>(db)`
    select ${selectValues(template, context)} as "fieldValues" from ${groups} ${joinValues(template, { workspaceId: run.workspaceId, groupId: sql`i.group_id` })}`;
  return values ?? {};
}

/**
 * Returns the SHA-256 of the values of these groups that a post says, in hex. What is built in does not count, since the members of a group
 * come and go, but for the language that decides the text. Undefined: the post has no field of the workspace, and no translation.
 */
export async function hashValues(
  db: Connection,
  workspaceId: WorkspaceId,
  { groupIds, template: { fields, translations } }: { groupIds: readonly number[]; template: Template },
): Promise<string | undefined> {
  const ids = Object.values(fields).flatMap(({ fieldId }) => (fieldId === undefined ? [] : [fieldId]));
  if (translations) ids.push((await readLanguageField(db, workspaceId)) ?? 0);
  if (ids.length === 0) return undefined;
  const said = [...new Set(ids.map(String))].toSorted();
  return readValue<string>(db)`
    select encode(sha256(convert_to(coalesce(string_agg(v.said, ',' order by i.place), ''), 'UTF8')), 'hex')
    from unnest(${[...groupIds]}::bigint[]) with ordinality i (group_id, place)
    cross join lateral (
      select jsonb_object_agg(f.field_id, v.field_values -> f.field_id)::text as said
      from unnest(${said}::text[]) f (field_id) left join group_values v on v.group_id = i.group_id) v`;
}

const readLanguageField = async (db: Connection, workspaceId: WorkspaceId) =>
  readValue<number | null>(db)`select ${selectLanguageField(sql`${workspaceId}`)} as "fieldId"`;

/** Returns the languages of these groups; groups without one are left out. */
export async function readLanguages(
  db: Connection,
  workspaceId: WorkspaceId,
  groupIds: readonly number[],
): Promise<Map<number, string>> {
  const fieldId = await readLanguageField(db, workspaceId);
  if (fieldId == null) return new Map();
  const rows = await readRows<{ groupId: number; language: string }>(db)`
    select v.group_id as "groupId", ${valueOf(fieldId)} as language
    from unnest(${[...groupIds]}::bigint[]) i (group_id)
    cross join lateral ${lookUp('group_values', { workspaceId, groupId: sql`i.group_id` })} v
    where ${valueOf(fieldId)} is not null`;
  return new Map(rows.map(({ groupId, language }) => [groupId, language]));
}

/**
 * Returns how many groups have which language, the most frequent first; '' are those without one. `groups` is a relation `i` with their
 * `group_id`; without it all of the workspace count.
 */
export async function countLanguages(
  db: Connection,
  workspaceId: WorkspaceId,
  groups?: RawBuilder<unknown>,
): Promise<Array<{ language: string; groups: number }>> {
  const fieldId = await readLanguageField(db, workspaceId);
  const language = fieldId == null ? sql`''` : sql`coalesce(${valueOf(fieldId)}, '')`;
  return readRows<{ language: string; groups: number }>(db)`
    select ${language} as language, count(*)::int as groups
    from ${groups ? sql`${groups} left join lateral ${lookUp('group_values', { workspaceId, groupId: sql`i.group_id` })} v on true` : sql`group_values v`}
    where ${groups ? sql`true` : sql`v.workspace_id = ${workspaceId}`}
    group by 1 order by groups desc, language`;
}
