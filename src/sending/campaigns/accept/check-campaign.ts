import { hasCap, readResting, readSendWindows, type SendWindow } from '../../accounts/send-window-rules.ts';
import type { Gaps } from '../../deliveries/pace.ts';
import { findWaits } from '../../accounts/find-waits.ts';
import { findAccounts } from '../../accounts/store.ts';
import { keepHour, soonest, type Wait } from '../read/find-wait.ts';
import type { Actor } from '../../../workspaces/audit/record-audit.ts';
import type { Database } from '../../../platform/database/statements.ts';
import { requireGroups } from '../../groups/require-groups.ts';
import type { Convert } from '../../../content/text/convert-in-worker.ts';
import type { PostExtras } from '../../../content/post/post-extras.ts';
import { warnOfFilms } from './warn-of-films.ts';
import { checkFiles, type ShownFile } from '../../../content/post/post-files.ts';
import { withMentionAll } from '../../../content/text/mention-all.ts';
import { warnOfPastDates } from '../../../content/text/past-dates.ts';
import { captionWarning } from '../../../content/text/warnings.ts';
import type { SendNowInput } from './add-campaign.ts';
import { countSenders, namedIn, subjectOf, type SenderShare } from './count-senders.ts';
import { requireCountedGroups } from './ballot-problems.ts';
import { planOccurrences, readTimeZone, stillToCome, type ScheduledInput } from './add-scheduled-campaign.ts';
import { estimateSeconds, readOthers } from '../read/estimate-seconds.ts';
import { findGroupProblems, type GroupProblem } from './find-group-problems.ts';
import { toLocalTime } from '../occurrences.ts';
import type { CardDeps, PreparedCard } from './prepare-card.ts';
import { preparePost } from './prepare-post.ts';
import { diffSchedule } from '../change/replan-runs.ts';
import { findOwnCampaign, scheduleOf, type OwnCampaign } from '../store.ts';
import { readNow } from '../../../platform/database/read-now.ts';
import { warnOfFrequency, type CheckWarning } from './warn-of-frequency.ts';
import { warnOfCap, warnOfPace, warnOfQuietHours } from './warn-of-windows.ts';
import { requireFreeExternalId } from '../../accounts/own-data.ts';
import { requireMentionsLeft, requireReach } from './require-reach.ts';
import { warnOfReach } from './warn-of-reach.ts';
import type { AccountId, WorkspaceId } from '../../../platform/database/schema.ts';

export interface CheckDeps {
  db: Database;
  /** IANA zone of users who chose none. */
  timeZone: string;
  convert: Convert;
  linkPreviews?: CardDeps['linkPreviews'];
  /** The pace of each messenger's accounts. */
  gaps: Gaps;
}

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
  /** What it asks in place of a text. */
  ballot: Pick<PostExtras, 'poll' | 'event'>;
  groups: { /** Groups without a problem. */ ok: number; problems: GroupProblem[] };
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
  const chosen = draft.when === 'scheduled' ? draft.post.timeZone : null;
  const timeZone = chosen ?? (await readTimeZone(deps, userId));
  const { occurrences, problems } =
    draft.when === 'now' ? { occurrences: null, problems: [] } : planOccurrences({ ...draft.post, timeZone });
  const now = await readNow(db);
  const planned = async () => (occurrences ? listDue(db, occurrences, { before, timeZone, now }) : [now]);
  const prepared = await preparePost(deps, draft.post, problems, planned);
  const { text, media, extras, card, groupIds, warnings } = prepared;
  const files = await checkFiles(db, workspaceId, extras);
  await requireFreeExternalId(db, 'campaign', { ...draft.post, workspaceId, except: changeOf });
  await requireGroups(db, workspaceId, draft.post.groupIds);
  await requireCountedGroups(db, extras, draft.post.groupIds);
  const reaching = { workspaceId, groupIds, extras, text, campaignId: insteadOf };
  await requireReach(db, reaching);
  const dueAt = await planned();
  const found = await findGroupProblems(db, workspaceId, { groupIds, text, dueAt, insteadOf });
  const first = dueAt[0] ?? now;
  await requireMentionsLeft(db, reaching, { firstAt: first, timeZone: deps.timeZone });
  const caption = media !== null || files.length > 0 || draft.post.withFile ? captionWarning(text) : undefined;
  const resting = await readResting(db, [workspaceId], deps.timeZone, first);
  const shares = await countSenders(db, workspaceId, { groupIds, wanted: extras.accountId, resting });
  const often = { groupIds, dueAt, except: insteadOf, timeZone: deps.timeZone };
  const frequent = await warnOfFrequency(db, workspaceId, often);
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
      ...warnOfPastDates(text, dueAt),
      ...warnOfFilms([media, ...files]),
      ...(caption ? [caption] : []),
      ...shares.filter(({ isConnected }) => !isConnected).map(describeConnection),
      ...(await warnOfReach(db, workspaceId, reaching)),
      ...quiet,
      ...bySender.warnings,
      ...frequent,
    ],
    media: toFile(media ?? files[0]),
    files,
    card: card ? toChecked(card) : null,
    ballot: extras,
    runs: dueAt.map((due) => ({ dueAt: due, local: toLocalTime(due, timeZone) })),
    groups: { ok: groupIds.length - new Set(found.map((problem) => problem.groupId)).size, problems: found },
    expectedSeconds: bySender.expectedSeconds,
    wait: draft.when === 'now' ? await findSendersWait(deps, shares, draft.post, { windows, now }) : undefined,
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
  { before, timeZone, now }: { before: OwnCampaign | undefined; timeZone: string; now: Date },
): Promise<Date[]> {
  const schedule = before && scheduleOf(before);
  if (!schedule) return stillToCome(occurrences, now, timeZone);
  const zones = { before: schedule.timeZone, after: timeZone };
  const { kept, missing } = await diffSchedule(db, before.campaignId, occurrences, { zones, now });
  return [...kept.map((run) => run.dueAt), ...missing].toSorted((a, b) => Number(a) - Number(b));
}

const describeConnection = (share: SenderShare): CheckWarning => ({
  code: 'account_not_connected',
  message: `${subjectOf(share)} is not connected at the moment. Posts wait for the connection, 6 hours at most.`,
  params: { ...namedIn(share), hours: 6 },
});
