/** Plans a campaign for each row of a sheet, and brings those that were planned before in line with it (contract §4, import-plan). */
import { isDeepStrictEqual } from 'node:util';
import { readLanguage } from '../../../content/fields/language.ts';
import { choicesOf, type PostChoices } from '../../../content/post/fill-post.ts';
import { EXTRAS_NAMES, NO_EXTRAS, type PostExtras } from '../../../content/post/post-extras.ts';
import type { Actor } from '../../../workspaces/audit/record-audit.ts';
import { QUOTAS } from '../../../workspaces/quotas/quotas.ts';
import { AppError, fieldError, type FieldError } from '../../../platform/errors/errors.ts';
import { acceptCampaign, campaignLimitReached, prepareCampaign, readOpenCampaigns } from '../accept/accept-campaign.ts';
import type { AcceptDeps } from '../accept/accept-campaign.ts';
import { planOccurrences, planScheduled, readTimeZone, type ScheduledInput } from '../accept/add-scheduled-campaign.ts';
import { warnOfEmptyLists, type Targeted } from '../accept/resolve-lists.ts';
import { cancelRuns } from '../change/cancel-runs.ts';
import { control } from '../change/control.ts';
import {
  requireNoneBegun,
  updateCampaign,
  type CampaignChange,
  type UpdatedCampaign,
} from '../change/update-campaign.ts';
import { toLocalTime } from '../occurrences.ts';
import {
  readGoneRows,
  readImportedRows,
  releaseRow,
  RowPlannedError,
  startRow,
  type ImportedRow,
} from './imported-rows.ts';

export type ImportDeps = AcceptDeps & { timeZone: string };

export interface ReadRow {
  input: ScheduledInput;
  /** What it has from its template, and not from cells of its own. Default is nothing. */
  fromTemplate?: ReadonlyArray<keyof RowValues>;
}

/** A row of a sheet. */
export interface PlanRow {
  /** As its sheet counts. */
  row: number;
  /** Names the row within the plan; '' if it has none. */
  key: string;
  /** Its campaign, or why it has none. */
  read: () => ReadRow | { problems: readonly FieldError[] };
}

export interface PlanImport {
  /** The name of the plan. */
  plan: string;
  rows: readonly PlanRow[];
  isDryRun: boolean;
  /** Whether campaigns of rows that are gone are cancelled. */
  removesGone: boolean;
  /** The first row to settle; earlier ones were settled by earlier requests. Default: the first. */
  fromRow?: number | undefined;
  /** After so long no further row begins. Default: 10 s. */
  budgetMs?: number;
}

export interface ImportedPlan {
  settled: SettledRow[];
  /** Where the next request goes on; undefined: all is done. */
  nextRow: number | undefined;
}

export type RowState = 'new' | 'changed' | 'unchanged' | 'gone' | 'sent' | 'missed' | 'cancelled' | 'refused';

export interface SettledRow {
  /** null: it is gone from the sheet. */
  row: number | null;
  key: string;
  state: RowState;
  campaignId?: string | undefined;
  name?: string | undefined;
  groupCount?: number | undefined;
  dueAt?: Date | null | undefined;
  /** The same as wall-clock time with its offset. */
  local?: string | undefined;
  /** What differs from the campaign that was planned. */
  changes?: ReadonlyArray<keyof RowValues>;
  warnings?: readonly string[];
  problems?: readonly RowProblem[];
}

/** What is about no single field has the code of its failure. */
export type RowProblem = Omit<FieldError, 'code'> & { code?: FieldError['code'] | AppError['code'] };

/** What a row says, as `changes` names it. */
type RowValues = Record<
  'name' | 'note' | 'text' | 'groups' | 'date' | 'time' | 'time_zone' | 'media_id' | 'template' | 'tags',
  unknown
>;

/** So many rows are read together. */
const PIECE = 50;
/** Longer requests would keep others from permits, and proxies cut them off. */
const BUDGET_MS = 10_000;
/** Further campaigns that are gone are those of the next import. */
const MOST_GONE = 2_000;
/** A row meets at most one other import or person, and the begin of its run. */
const MOST_TRIES = 3;
const STATES = {
  running: 'sent',
  completed: 'sent',
  completed_with_errors: 'sent',
  missed: 'missed',
  cancelled: 'cancelled',
} as const;
/** Failures that are about a row; after any other the same sheet is sent again. */
const KINDS_OF_ROWS = new Set(['invalid', 'not_found', 'conflict', 'no_room']);

const OF_TEMPLATES = EXTRAS_NAMES.filter((name) => name !== 'files' && name !== 'linkPreview' && name !== 'groupLists');
const EVERY_DAY = { recurrence: '', weekdays: [1, 2, 3, 4, 5, 6, 7], skipDates: [] };

interface Context {
  deps: ImportDeps;
  actor: Actor;
  plan: string;
  isDryRun: boolean;
  /** How many more campaigns the workspace may have; only a dry run, which adds none, counts them. */
  room: number;
  /** Whether the time for the request is over. */
  isOver: () => boolean;
  /** By the database's clock, as the request began. */
  now: Date;
}

/**
 * Settles each row, in pieces and a campaign a transaction, so that a request that was cut off has done whole rows, and the same sheet again
 * does the rest. Campaigns of which a run has begun, was missed or cancelled never change. Campaigns that are gone come after the last row.
 * Rows that are refused are in the result; throws for what is about no row.
 */
export async function importPlan(
  deps: ImportDeps,
  actor: Actor,
  { plan, rows, isDryRun, removesGone, fromRow = 1, budgetMs = BUDGET_MS }: PlanImport,
): Promise<ImportedPlan> {
  const { quotas = QUOTAS } = deps;
  const { now, open } = await readOpenCampaigns(deps.db, actor.workspaceId, quotas);
  const endsAt = performance.now() + budgetMs;
  const isOver = () => performance.now() > endsAt;
  const context: Context = { deps, actor, plan, isDryRun, room: quotas.openCampaigns - open, isOver, now };
  const settled: SettledRow[] = [];
  const firstRows = new Map<string, number>();
  for (const { row, key } of rows) if (!firstRows.has(key)) firstRows.set(key, row);
  const asked = rows.filter(({ row }) => row >= fromRow);
  for (let from = 0; from < asked.length; from += PIECE) {
    const piece = asked.slice(from, from + PIECE);
    const planned = await readImportedRows(deps.db, { ...actor, plan, keys: piece.map(({ key }) => key) });
    for (const row of piece) {
      if (settled.length > 0 && isOver()) return { settled, nextRow: row.row };
      const first = firstRows.get(row.key) ?? row.row;
      if (row.key !== '' && first < row.row)
        settled.push(refuse(row, [fieldError('key', 'key_repeated', { row: first })]));
      else settled.push(await settleRow(context, row, planned.get(row.key)));
    }
  }
  // A row without a key may be that of any campaign.
  const removes = removesGone && !isDryRun && !firstRows.has('');
  const gone = await settleGone(context, [...firstRows.keys()], removes);
  const lastRow = rows.at(-1)?.row ?? 0;
  return { settled: [...settled, ...gone.settled], nextRow: gone.isCut ? lastRow + 1 : undefined };
}

async function settleRow(context: Context, row: PlanRow, planned: ImportedRow | undefined): Promise<SettledRow> {
  let before = planned;
  for (let tries = 1; ; tries++) {
    if (before?.begun) return { ...about(row, before), state: STATES[before.begun] };
    const read = row.read();
    if ('problems' in read) return refuse(row, read.problems, before);
    try {
      return before ? await changeRow(context, row, read, before) : await addRow(context, row, read.input);
    } catch (error) {
      const isPlanned = error instanceof RowPlannedError;
      if (!isPlanned && !isOfRow(error)) throw error;
      // What others have planned for the row meanwhile is no reason against it, such as the mention or the place that its campaign uses up.
      const now = await readRow(context, row.key);
      if (tries < MOST_TRIES && (isPlanned || !isDeepStrictEqual(now, before))) before = now;
      else if (isPlanned) throw error;
      else return refuse(row, listProblems(error), before);
    }
  }
}

async function readRow({ deps, actor, plan }: Context, key: string): Promise<ImportedRow | undefined> {
  return (await readImportedRows(deps.db, { ...actor, plan, keys: [key] })).get(key);
}

async function addRow(context: Context, row: PlanRow, input: ScheduledInput): Promise<SettledRow> {
  const { deps, actor, plan, isDryRun, now } = context;
  const planned = await planScheduled(deps, actor, input);
  const request = { actor, input, ...planned, key: undefined, isDryRun };
  const { campaignId, groupCount, warnings = [] } = await acceptCampaign(deps, request, startRow(plan, row.key));
  if (isDryRun && context.room-- <= 0) throw campaignLimitReached(deps.quotas ?? QUOTAS);
  const due = when(input, planned.plan, { now });
  return {
    row: row.row,
    key: row.key,
    state: 'new',
    name: input.name,
    ...due,
    ...(!isDryRun && { campaignId }),
    groupCount,
    warnings: [...due.warnings, ...warnings],
  };
}

async function changeRow(
  { deps, actor, isDryRun, now }: Context,
  row: PlanRow,
  { input: sent, fromTemplate = [] }: ReadRow,
  before: ImportedRow,
): Promise<SettledRow> {
  const timeZone = sent.timeZone ?? (await readTimeZone(deps, actor.userId));
  const input = sent.extras?.fromTemplate === undefined ? keepFields(sent, before) : sent;
  const was = valuesBefore(before);
  const is = valuesOf(input, timeZone);
  const names = Object.keys(is) as Array<keyof RowValues>;
  const others = new Set(names.filter((name) => is[name] !== undefined && !isDeepStrictEqual(is[name], was[name])));
  if (others.size === 0) return checkRow({ deps, actor }, row, input, before);
  const change = describeChange(input, others, timeZone);
  const updated = await updateCampaign(deps, actor, before.campaignId, { ...change, isDryRun });
  const due = when(input, { timeZone }, { now, updated });
  const settled = { ...about(row, before), ...due, name: input.name, groupCount: updated.groupCount };
  const isByTemplate = fromTemplate.some((name) => others.has(name));
  const changes = names.filter((name) => others.has(name) || (name === 'template' && isByTemplate));
  return { ...settled, state: 'changed', changes, warnings: [...due.warnings, ...updated.warnings] };
}

/** Throws as the import of a new row where the post of an unchanged one cannot be sent any more. */
async function checkRow(
  { deps, actor }: Pick<Context, 'deps' | 'actor'>,
  row: PlanRow,
  input: ScheduledInput,
  before: ImportedRow,
): Promise<SettledRow> {
  const planned = await planScheduled(deps, actor, input);
  // Its run may be due already.
  const dueAt = before.dueAt ? [before.dueAt] : undefined;
  const post = await prepareCampaign(deps, {
    actor,
    input,
    ...planned,
    ...(dueAt && { dueAt: () => dueAt }),
    before: { ...before, bindsByName: true },
  });
  const warnings = warnOfEmptyLists(post, true).map(({ message }) => message);
  return { ...about(row, before), groupCount: post.groupIds.length, state: 'unchanged', warnings };
}

/** Only a template says whether a post has fields: what a person or an earlier template chose stays with another text, translations with the same. */
function keepFields(input: ScheduledInput, { html, template }: ImportedRow): ScheduledInput {
  const { withFields, leavesOut, translations } = choicesOf(template);
  return { ...input, withFields, leavesOut, ...(input.html === html && { translations }) };
}

/** A change of what differs, and of nothing else: without a post it needs no approval. */
function describeChange(
  input: ScheduledInput,
  changes: ReadonlySet<keyof RowValues>,
  timeZone: string,
): CampaignChange {
  const { extras: { files, groupLists, ...extras } = {}, startDate, endDate, cardRequest } = input;
  const [isOtherFile, isOtherTemplate, isToOthers] = [
    changes.has('media_id'),
    changes.has('template'),
    changes.has('groups'),
  ];
  return {
    unlessBegun: true,
    // Rows of a sheet mean the same fields, whichever were planned before the fields changed.
    bindsByName: true,
    ...(changes.has('name') && { name: input.name }),
    ...(changes.has('note') && { description: input.description }),
    ...(changes.has('tags') && { tags: input.tags }),
    ...(changes.has('text') && { html: input.html, unknownTags: input.unknownTags, ...choicesIn(input) }),
    ...((changes.has('text') || isOtherTemplate) && { cardRequest }),
    ...(isToOthers && { groupIds: input.groupIds }),
    // A person may have planned it for more than the day of its row.
    ...(changes.has('date') && { startDate, endDate: endDate ?? startDate, ...EVERY_DAY }),
    ...(changes.has('time') && { time: input.time }),
    ...(changes.has('time_zone') && { timeZone }),
    ...(isOtherFile && files === undefined && { removeImage: true }),
    extras: {
      ...(isOtherFile && files && { files }),
      ...(isToOthers && groupLists && { groupLists }),
      ...(isOtherTemplate && extras),
    },
    removedExtras: [
      ...(isOtherFile && files === undefined ? ['files' as const] : []),
      ...(isToOthers && groupLists === undefined ? ['groupLists' as const] : []),
      ...(isOtherTemplate ? OF_TEMPLATES.filter((name) => !(name in extras)) : []),
    ],
  };
}

function valuesOf(input: ScheduledInput, timeZone: string): RowValues {
  const { extras = NO_EXTRAS, groupIds = [] } = input;
  return {
    name: input.name,
    note: input.description,
    text: { html: input.html, ...choicesIn(input) },
    groups: targetsOf({ extras, groupIds }),
    date: `${input.startDate} ${input.endDate}`,
    time: input.time,
    time_zone: timeZone,
    media_id: plain(extras.files ?? []),
    template: ofTemplate(extras),
    tags: input.tags,
  };
}

function valuesBefore(before: ImportedRow): RowValues {
  const files = [...(before.extras.files ?? []), ...(before.mediaId ? ['image'] : [])];
  return {
    name: before.name,
    note: before.description,
    text: before.isBoundOtherwise ? 'other fields' : { html: before.html, ...choicesIn(choicesOf(before.template)) },
    groups: targetsOf(before),
    date: [before.startDate, before.endDate, ...(before.recurrence === null ? [] : [before.recurrence])].join(' '),
    time: before.time ?? '',
    time_zone: before.timeZone ?? '',
    media_id: plain(files),
    template: ofTemplate(before.extras),
    tags: before.tags,
  };
}

/** Lists and groups as they are named: who is in the lists changes by itself. */
function targetsOf({ extras: { groupLists }, groupIds }: Targeted) {
  const { listIds, groupIds: own } = groupLists ?? { listIds: [], groupIds };
  return [listIds, own].map((ids) => ids.toSorted((a, b) => a - b));
}

/** Whether a text is one for each group or language. */
function choicesIn({
  withFields = false,
  leavesOut = false,
  translations = [],
}: Pick<ScheduledInput, keyof PostChoices>): PostChoices {
  const inTags = translations.map(({ language, html }) => ({ language: readLanguage(language) ?? language, html }));
  return { withFields, leavesOut: withFields && leavesOut, translations: inTags };
}

/** What a template gives a post beside its text, its files and their card; nothing of a post without one. */
function ofTemplate(extras: PostExtras): unknown {
  const given = OF_TEMPLATES.filter((name) => extras[name] !== undefined);
  return extras.fromTemplate === undefined ? {} : plain(Object.fromEntries(given.map((name) => [name, extras[name]])));
}

/** As the database has it. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

function about(row: PlanRow, { campaignId, name, dueAt, timeZone, groupIds }: ImportedRow) {
  const local = dueAt && timeZone !== null ? toLocalTime(dueAt, timeZone) : undefined;
  return { row: row.row, key: row.key, campaignId, name, groupCount: groupIds.length, dueAt, local };
}

/** When a row goes out, also if it is past or no such time, or its run was moved; and what its author may not expect of that. */
function when(
  input: ScheduledInput,
  { timeZone }: { timeZone: string | null },
  { now, updated }: { now: Date; updated?: UpdatedCampaign },
) {
  if (timeZone === null) return { warnings: [] };
  const [planned] = planOccurrences({ ...input, timeZone }, now).occurrences;
  const dueAt = updated ? updated.dueAt : planned;
  if (!dueAt) return { dueAt, local: undefined, warnings: [] };
  const local = toLocalTime(dueAt, timeZone);
  if (Number(dueAt) !== Number(planned)) return { dueAt, local, warnings: [] };
  const clock = local.slice(11, 19);
  const skipped = `${input.time} does not exist on ${input.startDate} in ${timeZone}, where the clock is put forward: the post goes out at ${clock}`;
  return { dueAt, local, warnings: clock === input.time ? [] : [skipped] };
}

function refuse(row: PlanRow, problems: readonly RowProblem[], before?: ImportedRow): SettledRow {
  return { ...(before && about(row, before)), row: row.row, key: row.key, state: 'refused', problems };
}

async function settleGone(
  context: Context,
  keys: readonly string[],
  removes: boolean,
): Promise<{ settled: SettledRow[]; isCut: boolean }> {
  const { deps, actor, plan, isOver } = context;
  const gone = await readGoneRows(deps.db, { ...actor, plan, keys, limit: MOST_GONE });
  const settled: SettledRow[] = [];
  for (const { key, campaignId, name, dueAt, timeZone } of gone) {
    const local = dueAt && timeZone !== null ? toLocalTime(dueAt, timeZone) : undefined;
    const one = { row: null, key, campaignId, name, dueAt, local };
    if (removes && settled.length > 0 && isOver()) return { settled, isCut: true };
    settled.push({ ...one, ...(removes ? await removeRow(context, one) : { state: 'gone' }) });
  }
  return { settled, isCut: false };
}

/** Cancels the campaign of a row that is gone, unless a run of it has begun meanwhile, or others have cancelled it. */
async function removeRow(
  context: Context,
  { key, campaignId }: { key: string; campaignId: string },
): Promise<Pick<SettledRow, 'state' | 'problems'>> {
  try {
    await control(context.deps, context.actor, campaignId, 'campaign.cancelled', async (trx, campaign) => {
      await requireNoneBegun(trx, campaign);
      await cancelRuns(trx, campaign);
      await releaseRow(trx, campaign.campaignId);
    });
    return { state: 'gone' };
  } catch (error) {
    if (!isOfRow(error)) throw error;
    const now = await readRow(context, key);
    if (now?.campaignId !== campaignId) return { state: 'gone' };
    return now.begun ? { state: STATES[now.begun] } : { state: 'refused', problems: listProblems(error) };
  }
}

const isOfRow = (error: unknown): error is AppError => error instanceof AppError && KINDS_OF_ROWS.has(error.kind);

function listProblems({ code, details, message }: AppError): readonly RowProblem[] {
  return details.length > 0 ? details : [{ field: 'row', code, issue: message }];
}
