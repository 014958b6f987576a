import { hasCap, readResting, readSendWindows, type SendWindow } from '../../accounts/send-window-rules.ts';
import { findWaits } from '../../accounts/find-waits.ts';
import { findAccounts } from '../../accounts/store.ts';
import { keepHour, soonest, type Wait } from '../read/find-wait.ts';
import type { Actor } from '../../../workspaces/audit/record-audit.ts';
import type { Database } from '../../../platform/database/statements.ts';
import type { PostExtras } from '../../../content/post/post-extras.ts';
import { warnOfFilms } from './warn-of-films.ts';
import { checkFiles, type ShownFile } from '../../../content/post/post-files.ts';
import { withMentionAll } from '../../../content/text/mention-all.ts';
import { warnOfTexts } from '../../../content/post/translations.ts';
import { warnOfPastDates } from '../../../content/text/past-dates.ts';
import { captionWarning, type Warning } from '../../../content/text/warnings.ts';
import type { SendNowInput } from './add-campaign.ts';
import { countSenders, namedIn, subjectOf, type SenderShare } from './count-senders.ts';
import { requireTargets } from './accept-campaign.ts';
import { planOccurrences, readTimeZone, stillToCome, type ScheduledInput } from './add-scheduled-campaign.ts';
import type { ExpectDeps } from '../read/estimate-finish.ts';
import { estimateSeconds, readOthers } from '../read/estimate-seconds.ts';
import { findGroupProblems, type GroupProblem } from './find-group-problems.ts';
import { toLocalTime, type Schedule } from '../occurrences.ts';
import type { PreparedCard } from './prepare-card.ts';
import { warnOfTranslations } from './prepare-translations.ts';
import { preparePost, type PreparedPost, type PrepareDeps } from './prepare-post.ts';
import { diffSchedule } from '../change/replan-runs.ts';
import { findOwnCampaign, scheduleOf, type OwnCampaign } from '../store.ts';
import { readNow } from '../../../platform/database/read-now.ts';
import { warnOfFrequency, type CheckWarning } from './warn-of-frequency.ts';
import { warnOfCap, warnOfPace, warnOfQuietHours } from './warn-of-windows.ts';
import { requireFreeExternalId } from '../../accounts/own-data.ts';
import { requireLists, warnOfEmptyLists } from './resolve-lists.ts';
import { requireMentionsLeft } from './require-reach.ts';
import { bindFields, type FieldsInPost } from '../../values/bind-fields.ts';
import { describeUnfit, findUnfit, type PostWithFields } from '../../values/check-values.ts';
import { warnOfReach } from './warn-of-reach.ts';
import { warnOfMentionsLeftOut, warnOfUnusedTimes } from './warn-of-schedule.ts';
import type { AccountId, UserId, WorkspaceId } from '../../../platform/database/schema.ts';

export type CheckDeps = ExpectDeps & PrepareDeps;

/** A campaign that might be sent, now or by a schedule. */
export type CampaignDraft = { when: 'now'; post: SendNowInput } | { when: 'scheduled'; post: ScheduledInput };

export interface CampaignCheck {
  text: string;
  warnings: CheckWarning[];
  /** The first file. */
  media: { mime: string; size: number } | null;
  /** Those of the library. */
  files: ShownFile[];
  /** The card that its link would have. */
  card: { url: string; title: string; description: string; picture: { mime: string; size: number } | null } | null;
  /** `local` is the wall-clock time in the campaign's zone with its offset, ISO 8601. */
  runs: Array<{ dueAt: Date; local: string }>;
  /** More runs follow these as time goes on. */
  isContinued: boolean;
  /** What it asks in place of a text. */
  ballot: Pick<PostExtras, 'poll' | 'event'>;
  groups: { /** Groups without a problem. */ ok: number; problems: GroupProblem[] };
  /** How many groups a post with fields does not fit, and why. */
  fields: { withoutValue: number; unfit: number } | undefined;
  expectedSeconds: number;
  /** Why nothing of it would leave if it was sent now. Undefined: it would, or it has a schedule. */
  wait: Wait | undefined;
}

/**
 * Checks a campaign without creating anything (contract §4, check-campaign). Throws what adding it would throw. Obstacles that may pass
 * are problems of a group or warnings, and adding the campaign accepts them. With `changeOf` it checks a change of that campaign: the
 * campaign's own content and planned runs do not count. Throws 404 for another workspace's campaign.
 */
export async function checkCampaign(
  deps: CheckDeps,
  { userId, workspaceId }: Actor,
  draft: CampaignDraft,
  changeOf?: string,
): Promise<CampaignCheck> {
  const { db } = deps;
  const before = changeOf === undefined ? undefined : await findOwnCampaign(db, workspaceId, changeOf);
  const insteadOf = before?.campaignId;
  const now = await readNow(db);
  const { schedule, timeZone, occurrences, plannedUntil, problems } = await planDraft(deps, userId, { draft, now });
  const planned = async () => (schedule ? listDue(db, occurrences, { before, schedule, now }) : [now]);
  const prepared = await requireLists(db, workspaceId, await preparePost(deps, draft.post, problems, planned));
  const { text, fields, media, extras, card, groupIds } = prepared;
  const warnings = [...prepared.warnings, ...warnOfEmptyLists(prepared, schedule !== undefined)];
  const files = await checkFiles(db, workspaceId, extras);
  await requireFreeExternalId(db, 'campaign', { ...draft.post, workspaceId, except: changeOf });
  const reaching = { workspaceId, groupIds, extras, text, template: fields, campaignId: insteadOf };
  await requireTargets(db, { ...reaching, givenIds: draft.post.groupIds ?? [] });
  const dueAt = await planned();
  const asked = { ...reaching, dueAt, insteadOf, timeZone: occurrences ? timeZone : null };
  const hasFile = media !== null || files.length > 0 || (draft.post.withFile ?? false);
  const { found, counts } = await findProblems(db, fields, { ...asked, hasFile, installationZone: deps.timeZone });
  const [first = now] = dueAt;
  await requireMentionsLeft(db, reaching, { firstAt: first, timeZone: deps.timeZone });
  const resting = await readResting(db, [workspaceId], deps.timeZone, first);
  const shares = await countSenders(db, workspaceId, { groupIds, wanted: extras.accountId, resting });
  const frequent = await warnOfFrequency(db, workspaceId, { ...asked, except: insteadOf, timeZone: deps.timeZone });
  const senders = shares.map(({ accountId }) => accountId);
  const windows = new Map((await readSendWindows(db, senders, deps.timeZone)).map((one) => [one.accountId, one]));
  // Of a campaign for now, `wait` says so.
  const quiet = draft.when === 'now' ? [] : warnOfQuietHours(shares, { dueAt, windows });
  const bySender = await checkSenders(deps, shares, {
    workspaceId,
    resting,
    windows,
    dueAt,
    first,
    now,
    except: insteadOf,
    isPinned: extras.pinSeconds !== undefined,
  });
  return {
    text: extras.mentionAll ? withMentionAll(text) : text,
    warnings: [
      ...warnings,
      ...warnOfFilms([media, ...files]),
      ...warnOfEachText(prepared, { dueAt, hasFile }),
      ...(await warnOfTranslations(db, workspaceId, { groupIds, translations: fields?.translations })),
      ...shares.filter(({ isConnected }) => !isConnected).map(describeConnection),
      ...(await warnOfReach(db, workspaceId, reaching)),
      ...(extras.mentionAll ? await warnOfMentionsLeftOut(db, workspaceId, { dueAt, timeZone: deps.timeZone }) : []),
      ...(schedule ? warnOfUnusedTimes(schedule, now) : []),
      ...quiet,
      ...bySender.warnings,
      ...frequent,
    ],
    media: toFile(media ?? files[0]),
    files,
    card: card ? toChecked(card) : null,
    ballot: extras,
    isContinued: plannedUntil !== null,
    runs: dueAt.map((due) => ({ dueAt: due, local: toLocalTime(due, timeZone) })),
    groups: { ok: groupIds.length - new Set(found.map((problem) => problem.groupId)).size, problems: found },
    fields: counts,
    expectedSeconds: bySender.expectedSeconds,
    wait: draft.when === 'now' ? await findSendersWait(deps, shares, draft.post, { windows, now }) : undefined,
  };
}

function warnOfEachText(
  { text, fields }: Pick<PreparedPost, 'text' | 'fields'>,
  { dueAt, hasFile }: { dueAt: readonly Date[]; hasFile: boolean },
): Warning[] {
  return warnOfTexts(text, fields?.translations, (one) => {
    const caption = hasFile ? captionWarning(one) : undefined;
    return [...warnOfPastDates(one, dueAt), ...(caption ? [caption] : [])];
  });
}

async function planDraft(deps: CheckDeps, userId: UserId, { draft, now }: { draft: CampaignDraft; now: Date }) {
  const chosen = draft.when === 'scheduled' ? draft.post.timeZone : null;
  const timeZone = chosen ?? (await readTimeZone(deps, userId));
  if (draft.when === 'now') return { schedule: undefined, timeZone, occurrences: [], plannedUntil: null, problems: [] };
  const schedule = { ...draft.post, timeZone };
  return { schedule, timeZone, ...planOccurrences(schedule, now) };
}

/** What stands in the way of each group, and how many groups a post with fields does not fit. */
async function findProblems(
  db: Database,
  fields: FieldsInPost | undefined,
  post: Omit<PostWithFields, 'template' | 'dueAt'> & Parameters<typeof findGroupProblems>[2],
): Promise<{ found: GroupProblem[]; counts: CampaignCheck['fields'] }> {
  const { workspaceId, extras, dueAt } = post;
  const found = await findGroupProblems(db, workspaceId, post);
  if (!fields || fields.isLiteral) return { found, counts: undefined };
  const template = await bindFields(db, workspaceId, fields, extras);
  const unfit = await findUnfit(db, { ...post, template, dueAt: dueAt[0] ?? new Date(0) });
  const withoutValue = unfit.filter(({ failure }) => failure.code === 'value_missing').length;
  return {
    found: [...found, ...unfit.map((one) => ({ groupId: one.groupId, ...describeUnfit(one) }))],
    counts: { withoutValue, unfit: unfit.length - withoutValue },
  };
}

/** Why none of these accounts would send now: the one that can send soonest. */
async function findSendersWait(
  { db, timeZone }: CheckDeps,
  shares: readonly SenderShare[],
  { ignoresQuietHours = false }: SendNowInput,
  { windows, now }: Pick<Planned, 'windows' | 'now'>,
): Promise<Wait | undefined> {
  const ids = shares.map(({ accountId }) => accountId);
  const accounts = (await findAccounts(db, ids)).filter((account) => account !== undefined);
  const waits = await findWaits(db, accounts, timeZone);
  const wait = waits.size < ids.length ? undefined : soonest(waits);
  if (ignoresQuietHours && wait?.reason === 'quiet_hours') return undefined;
  const window = wait && windows.get(wait.accountId);
  return window ? keepHour(wait, { dueAt: now, timeZone: null, ignoresQuietHours }, window) : wait;
}

interface Planned {
  workspaceId: WorkspaceId;
  /** Accounts that rest when the first run is due. */
  resting: AccountId[];
  windows: ReadonlyMap<AccountId, SendWindow>;
  /** In order, one at least. */
  dueAt: Date[];
  /** The first of them. */
  first: Date;
  now: Date;
  /** Posts of this campaign do not count. */
  except: number | undefined;
  isPinned: boolean;
}

/** What the pace, the rests and the caps of the accounts that would send say, and the time until all have sent. */
async function checkSenders(
  { db, gaps, timeZone }: CheckDeps,
  shares: readonly SenderShare[],
  { workspaceId, resting, windows, dueAt, first, now, except, isPinned }: Planned,
): Promise<{ warnings: CheckWarning[]; expectedSeconds: number }> {
  const warnings: CheckWarning[] = [];
  // Most accounts have no cap, and their checks need no transaction.
  if (windows.values().some(hasCap))
    warnings.push(...(await warnOfCap(db, { workspaceId, shares, dueAt, except, resting, timeZone, now })));
  let expectedSeconds = 0;
  const others = await readOthers(db, workspaceId, { at: first, except, resting });
  for (const share of shares) {
    const { accountId, groups } = share;
    const pace = gaps[share.messenger];
    warnings.push(...warnOfPace(share, { window: windows.get(accountId), dueAt, pace }));
    const planned = { groups, isPinned, at: first, pace, timeZone, others: others.get(accountId) };
    expectedSeconds = Math.max(expectedSeconds, await estimateSeconds(db, accountId, planned));
  }
  return { warnings, expectedSeconds };
}

function toFile(file: { mime: string; size: number } | undefined): CampaignCheck['media'] {
  return file ? { mime: file.mime, size: file.size } : null;
}

function toChecked({ url, title, description, picture }: PreparedCard): CampaignCheck['card'] {
  return { url, title, description, picture: picture && { mime: 'image/jpeg', size: picture.bytes.length } };
}

/** When it would run from now on; as the change of a campaign that has a schedule already, as changing it would leave it. */
async function listDue(
  db: Database,
  occurrences: Date[],
  { before, schedule, now }: { before: OwnCampaign | undefined; schedule: Schedule; now: Date },
): Promise<Date[]> {
  const scheduleBefore = before && scheduleOf(before);
  if (!scheduleBefore) return stillToCome(occurrences, now, schedule);
  const plan = { zoneBefore: scheduleBefore.timeZone, schedule, now };
  const { kept, missing } = await diffSchedule(db, before.campaignId, occurrences, plan);
  return [...kept.map((run) => run.dueAt), ...missing].toSorted((a, b) => Number(a) - Number(b));
}

const describeConnection = (share: SenderShare): CheckWarning => ({
  code: 'account_not_connected',
  message: `${subjectOf(share)} is not connected at the moment. Posts wait for the connection, 6 hours at most.`,
  params: { ...namedIn(share), hours: 6 },
});
