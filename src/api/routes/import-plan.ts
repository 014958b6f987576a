import type { z } from 'zod';
import { decodeBase64 } from '../../content/media/decode-base64.ts';
import { ASKING } from '../../content/post/post-extras.ts';
import { cleanName, foldFieldName } from '../../content/text/fold-name.ts';
import { readSheetDate, readSheetTime } from '../../content/sheets/read-date.ts';
import { readSheet, type Sheet } from '../../content/sheets/read-sheet.ts';
import { selectDrafts } from '../../sending/drafts/draft-store.ts';
import type { Database } from '../../platform/database/statements.ts';
import type { Actor } from '../../workspaces/audit/record-audit.ts';
import { fieldError, invalid, type FieldError } from '../../platform/errors/errors.ts';
import type { IssueCode } from '../../platform/errors/issues.ts';
import { importPlan, type PlanRow, type RowProblem } from '../../sending/campaigns/import/import-plan.ts';
import { indexByName } from '../../sending/groups/index-by-name.ts';
import {
  prepareFindTargets,
  type FindTargets,
  type TargetName,
  type Targets,
} from '../../sending/groups/find-targets.ts';
import { addCampaignBatchBody } from '../contract/campaigns.ts';
import { MOST_GROUPS } from '../contract/fields.ts';
import { MOST_ROWS, planRow, rowState, type planImports } from '../contract/import-plan.ts';
import type { Handlers } from '../operation.ts';
import { putTextIntoHtml } from '../server/typed-text.ts';
import { validateBody } from '../server/validation.ts';
import { fromWire, toWire, type FromWire } from '../wire.ts';
import { templateContent } from '../contract/templates.ts';
import { describeTemplate } from './templates.ts';
import { toPost, toSchedule, type CampaignDeps } from './campaigns.ts';

type ImportBody = FromWire<z.output<(typeof planImports)['importPlan']['body']>>;
type Cells = NonNullable<ImportBody['rows']>[number];

/** A row, or why its sheet cannot be read there. */
interface ReadRow {
  row: number;
  cells: Cells;
  fault?: IssueCode | undefined;
}

const LONGEST_KEY = 100;
const LONGEST_NAME = 200;

export const planImportHandlers: Handlers<typeof planImports, CampaignDeps> = {
  async importPlan(deps, { body, actor }) {
    const { rows, warnings } = await readRows(body);
    const find = await prepareFindTargets(deps.db, actor.workspaceId);
    const findTemplate = await prepareTemplates(
      deps.db,
      actor,
      rows.flatMap(({ cells: { template } }) => (isNothing(template) ? [] : [template])),
    );
    const { settled, nextRow } = await importPlan(deps, actor, {
      plan: body.plan,
      rows: rows.map((row) => toPlanRow(row, body, { find, findTemplate })),
      isDryRun: body.dryRun,
      removesGone: body.removeGone,
      fromRow: body.fromRow,
    });
    const keyless = body.removeGone && rows.some(({ cells }) => isNothing(cells.key));
    const cellsOf = new Map(rows.map(({ row, cells }) => [row, cells]));
    const byState = Map.groupBy(settled, ({ state }) => state);
    const counts = Object.fromEntries(rowState.options.map((state) => [state, byState.get(state)?.length ?? 0]));
    return {
      nextRow,
      counts,
      rows: settled.map(({ warnings: ofRow = [], problems = [], dueAt = null, local = null, changes, ...row }) => ({
        ...row,
        ...(changes && { changes: [...changes] }),
        dueAt,
        local,
        warnings: ofRow,
        problems: nameCells(problems, cellsOf.get(row.row ?? 0)),
      })),
      warnings: keyless ? [...warnings, KEYLESS] : warnings,
    };
  },
};

const KEYLESS =
  'A row has no key and could be any of those that are gone, so none of them is cancelled: give each row a key';

const isNothing = (cell: TargetName | undefined): cell is undefined | '' =>
  cell === undefined || String(cell).trim() === '';

async function readRows({ rows, file }: ImportBody): Promise<{ rows: ReadRow[]; warnings: string[] }> {
  if ((rows === undefined) === (file === undefined)) throw invalid([fieldError('rows', 'rows_or_file')]);
  if (rows) return { rows: rows.map((cells, index) => ({ row: index + 1, cells })), warnings: [] };
  return readPlanSheet(await readSheet('file', decodeBase64('file', file ?? '').bytes));
}

const COLUMNS = Object.keys(planRow.shape);
/** Without them no row of a sheet could be planned. */
const REQUIRED_COLUMNS = ['key', 'date', 'time'];
const toColumn = (name: string) => foldFieldName(name).replaceAll(/[ -]/g, '_');

/** The rows of a sheet, whose first row names the columns, in any order and letter case. */
function readPlanSheet({ rows: [head, ...rows], faults }: Sheet): { rows: ReadRow[]; warnings: string[] } {
  const names = (head?.cells ?? []).map(toColumn);
  const missing = REQUIRED_COLUMNS.filter((name) => !names.includes(name));
  if (missing.length > 0) throw invalid([fieldError('file', 'sheet_column_missing', { columns: missing.join(', ') })]);
  const repeated = COLUMNS.find((name) => names.indexOf(name) !== names.lastIndexOf(name));
  if (repeated !== undefined) throw invalid([fieldError('file', 'sheet_column_twice', { name: repeated })]);
  if (rows.length === 0) throw invalid([fieldError('file', 'sheet_empty')]);
  if (rows.length > MOST_ROWS) throw invalid([fieldError('file', 'sheet_rows', { limit: MOST_ROWS })]);
  const unread = names.filter((name) => name !== '' && !COLUMNS.includes(name)).slice(0, 10);
  return {
    rows: rows.map(({ row, cells }) => {
      const named = names.flatMap((name, index) =>
        COLUMNS.includes(name) ? [[name, cells[index] ?? ''] as const] : [],
      );
      const isLong = cells.slice(names.length).some((cell) => cell.trim() !== '');
      return {
        row,
        cells: toCells(Object.fromEntries(named)),
        fault: faults.get(row) ?? (isLong ? 'sheet_row_long' : undefined),
      };
    }),
    warnings: unread.map((name) => `The column ${name} is not read: the columns are ${COLUMNS.join(', ')}`),
  };
}

type TextCells = Partial<Record<keyof typeof planRow.shape, string>>;

/** Of a sheet every cell is a text. */
function toCells({ groups = '', media_id: mediaId = '', time_zone: timeZone, ...cells }: TextCells): Cells {
  const { key, date, time, list, html, text, template, name, note, tags } = cells;
  const media = mediaId.trim();
  return {
    key,
    date,
    time,
    timeZone,
    list,
    html,
    text,
    template,
    name,
    note,
    tags: tags?.split(/[,;\r\n]/).filter((tag) => !isNothing(tag)),
    groups: groups.trim() === '' ? [] : [groups],
    // Anything else than an id is no id of the library either.
    mediaId: media === '' ? undefined : /^\d{1,15}$/.test(media) ? Number(media) : -1,
  };
}

const batchBody = addCampaignBatchBody.omit({ group_metadata_ids: true });

type FindTemplate = (name: TargetName | undefined) => FoundTemplate | { problem: FieldError };

interface FoundTemplate {
  content: object;
  targets: Targets;
  /** Some groups or lists of it are gone. */
  hasLostTargets: boolean;
}

const NO_TEMPLATE: FoundTemplate = { content: {}, targets: { groupIds: [], listIds: [] }, hasLostTargets: false };

/** Returns a function that finds templates by their names or ids. It reads those that `wanted` names. */
async function prepareTemplates(db: Database, actor: Actor, wanted: readonly TargetName[]): Promise<FindTemplate> {
  const heads = wanted.length === 0 ? [] : await selectDrafts(db, actor.workspaceId, 'template', undefined);
  const byId = new Map(heads.map((head) => [head.draftId, head]));
  const findNamed = indexByName(heads);
  const found = new Map<string, FoundTemplate>();
  const idsOf = new Map<string, string[]>();
  for (const text of new Set(wanted.map(String))) {
    const meant = byId.get(text.trim().toLowerCase());
    const ids = (meant ? [meant] : findNamed(text)).map(({ draftId }) => draftId);
    idsOf.set(text, ids);
    const [id = '', ...others] = ids;
    if (id === '' || others.length > 0 || found.has(id)) continue;
    const { content, groupListIds: listIds, hasLostTargets } = await describeTemplate(db, actor, id);
    const targets = { groupIds: content.groupMetadataIds, listIds };
    // Without tags of its own it takes those of its rows away.
    found.set(id, { content: { tags: [], ...toWire(templateContent, content) }, targets, hasLostTargets });
  }
  return (name) => {
    if (isNothing(name)) return NO_TEMPLATE;
    const ids = idsOf.get(String(name)) ?? [];
    const named = { of: 'templates', text: String(name).slice(0, 100) };
    if (ids.length > 1) return { problem: fieldError('template', 'ambiguous_name', { ...named, count: ids.length }) };
    return found.get(ids[0] ?? '') ?? { problem: fieldError('template', 'unknown_name', named) };
  };
}

interface Find {
  find: FindTargets;
  findTemplate: FindTemplate;
}

function toPlanRow({ row, cells, fault }: ReadRow, body: ImportBody, { find, findTemplate }: Find): PlanRow {
  const key = cleanName(cells.key ?? '');
  return {
    row,
    key,
    read() {
      if (fault) return { problems: [fieldError('row', fault)] };
      const problems: FieldError[] = [];
      if (key === '') problems.push(fieldError('key', 'required'));
      if (key.length > LONGEST_KEY) problems.push(fieldError('key', 'too_long', { limit: LONGEST_KEY }));
      const template = findTemplate(cells.template);
      if ('problem' in template) return { problems: [...problems, template.problem] };
      const found = findGroups(cells, template, find);
      if ('problems' in found) problems.push(...found.problems);
      const read = readSheetDate('date', cells.date ?? '', body.dateFormat);
      if ('problem' in read) problems.push(read.problem);
      const { date, time: timeOfDate = '' } = 'problem' in read ? { date: '2000-01-01' } : read;
      const time = readSheetTime(isNothing(cells.time) ? timeOfDate : cells.time);
      const name = isNothing(cells.name) ? `${body.plan} ${key}`.slice(0, LONGEST_NAME) : cells.name;
      const sent = {
        ...messageOf(cells, template.content),
        name,
        desc: cells.note,
        ...(cells.mediaId !== undefined && { media: [{ media_id: cells.mediaId }] }),
        is_schedule: true,
        start_date: date,
        end_date: date,
        schedule_time: time,
        time_zone: isNothing(cells.timeZone) ? body.timeZone : cells.timeZone.trim(),
        recurrence: null,
        weekdays: null,
        skip_dates: null,
      };
      const validated = validateBody(batchBody, putTextIntoHtml(batchBody, sent)?.body ?? sent);
      if ('error' in validated) problems.push(...validated.error.details);
      if (problems.length > 0 || 'error' in validated || 'problems' in found) return { problems };
      const { groupIds: groupMetadataIds, listIds } = found;
      const post = { ...fromWire(batchBody, validated.value), groupMetadataIds, groupListIds: listIds };
      return { input: { ...toPost(post), ...toSchedule(post) }, fromTemplate: listFromTemplate(cells) };
    },
  };
}

/**
 * An empty cell is no message and no tags, or those of the template, in all its languages; a row with a file alone has an empty message.
 */
function messageOf(
  { html, text, mediaId, tags }: Cells,
  template: { html?: string; translations?: unknown; tags?: unknown },
): object {
  const message = { ...(!isNothing(html) && { html }), ...(!isNothing(text) && { text }) };
  const { html: ofTemplate = mediaId === undefined ? undefined : '', translations, ...post } = template;
  const own = { tags, ...post, ...(tags && tags.length > 0 && { tags }) };
  return { ...own, ...(Object.keys(message).length === 0 ? { html: ofTemplate, translations } : message) };
}

/** Returns what a row has from its template, as cells name it. */
function listFromTemplate({ template, html, text, tags = [], list, groups, mediaId }: Cells) {
  if (isNothing(template)) return [];
  const own = {
    text: !isNothing(html) || !isNothing(text),
    tags: tags.length > 0,
    groups: !isNothing(list) || groups.some((name) => !isNothing(name)),
    media_id: mediaId !== undefined,
  };
  return (['text', 'tags', 'groups', 'media_id'] as const).filter((name) => !own[name]);
}

/** The cell of a sheet is the name of one group, or several with line breaks or semicolons between them. */
function findGroups({ list, groups }: Cells, template: FoundTemplate, find: FindTargets): ReturnType<FindTargets> {
  const named = isNothing(list) ? undefined : list;
  const split = groups.flatMap((name) => {
    if (typeof name === 'number' || 'groupIds' in find({ list: undefined, groups: [name] })) return [name];
    return name.split(/[;\r\n]/).filter((part) => part.trim() !== '');
  });
  const found = find({ list: named, groups: split });
  if ('problems' in found) return found;
  const targets = named === undefined && split.length === 0 ? template.targets : found;
  const { groupIds, listIds } = targets;
  if (groupIds.length + listIds.length === 0)
    return {
      problems: [template.hasLostTargets ? fieldError('template', 'targets_gone') : fieldError('groups', 'empty')],
    };
  if (groupIds.length > MOST_GROUPS) return { problems: [fieldError('groups', 'too_many_groups')] };
  return targets;
}

/** What a row calls the fields of its campaign. */
const CELLS: Readonly<Record<string, string>> = {
  desc: 'note',
  start_date: 'date',
  end_date: 'date',
  schedule_time: 'time',
  group_metadata_ids: 'groups',
  group_list_ids: 'list',
  media: 'media_id',
};

/**
 * Names problems as the row does: both dates of a campaign are its date, the html of a text is that text, and a poll is that of its template.
 */
function nameCells(problems: readonly RowProblem[], cells?: Cells): RowProblem[] {
  const isTyped = cells !== undefined && isNothing(cells.html);
  const isOfTemplate = cells !== undefined && !isNothing(cells.template);
  const named = problems.map(({ field, ...problem }) => {
    const [first = ''] = field.split('.');
    if (isOfTemplate && ASKING.some((name) => name === first)) return { ...problem, field: 'template' };
    return { ...problem, field: first === 'html' && isTyped ? 'text' : (CELLS[first] ?? first) };
  });
  return [...new Map(named.map((problem) => [`${problem.field} ${problem.issue}`, problem])).values()];
}
