/** Posts that wait for an approval in the review group (docs/explanation/decisions/0108-approve-in-a-review-group.md). */
import { execute, hasRow, readCount, readRow, readRows, readValue } from '../../platform/database/statements.ts';
import { TEXT_LIMIT } from '../../content/text/html-to-whatsapp.ts';
import { writePlaceholders } from '../../content/text/placeholders.ts';
import type { Connection } from '../../platform/database/statements.ts';
import type { WorkspaceId } from '../../platform/database/schema.ts';
import { lockLedger, lockOwnLedger } from '../accounts/store.ts';
import { dueNow, planOfNow, startNow } from '../campaigns/accept/add-campaign.ts';
import { cancelRuns } from '../campaigns/change/cancel-runs.ts';
import { insertCampaign } from '../campaigns/store.ts';
import { readNow } from '../../platform/database/read-now.ts';
import type { Approval } from './approval-store.ts';
import type { PostExtras } from '../../content/post/post-extras.ts';
import { plainName } from '../../workspaces/approval/plain-name.ts';
import { LANGUAGES, knownLanguage } from '../../platform/i18n/languages.ts';
import { translatorFor } from '../../platform/i18n/load-messages.ts';
import type { Translate } from '../../platform/i18n/translator.ts';
import type { AskedPost } from './asked-post.ts';

/** Of a workspace in 24 hours: a script that asks again and again must not flood a group. */
const POSTS_A_DAY = 50;

export interface ReviewGroup {
  groupId: number;
  /** The owner's language and zone. */
  reader: Reader;
}

/** Returns the review group of a workspace, and locks its ledger; undefined if it has none that can be posted to. */
export async function lockReviewGroup(trx: Connection, workspaceId: WorkspaceId, timeZone: string) {
  const found = await readRow<{ groupId: number } & Reader>(trx)`
    select g.group_id as "groupId", u.language, coalesce(u.time_zone, ${timeZone}) as "timeZone"
    from workspaces w
    join groups g on g.group_id = w.review_group_id and g.workspace_id = w.workspace_id and g.can_send and g.removed_at is null and g.kind <> 'channel'
    join memberships m on m.workspace_id = w.workspace_id and m.role = 'owner'
    join users u on u.user_id = m.user_id
    where w.workspace_id = ${workspaceId}`;
  if (!found) return undefined;
  const { groupId, ...reader } = found;
  await lockOwnLedger(trx, workspaceId);
  return { groupId, reader };
}

/**
 * Posts a version of a request to the review group. Returns why it is not posted, as a sentence for the author; undefined if it is. The
 * ledger must be locked.
 */
export async function postForReview(
  trx: Connection,
  workspaceId: WorkspaceId,
  { group, approval, dueAt }: { group: ReviewGroup; approval: Approval; dueAt: readonly Date[] },
): Promise<string | undefined> {
  const { groupId, reader } = group;
  const { approvalId, version, hash, post, askedBy } = approval;
  const posted = await readCount(trx)`
    select count(*) from approval_reviews
    where workspace_id = ${workspaceId} and created_at > campanile_now() - interval '24 hours'`;
  if (posted >= POSTS_A_DAY)
    return `The review group has got ${POSTS_A_DAY} posts within 24 hours. This one waits in the dashboard alone.`;
  const names = await readNames(trx, approval);
  const { name, header, text } = composeReview(post, { version, dueAt, ...names }, reader);
  if (text.length > TEXT_LIMIT)
    return 'The post is too long for the review group, which shows more than the post. It waits in the dashboard alone.';
  const { fileName, files, linkPreview } = post.extras;
  const translated = post.template?.translations ?? [];
  const { campaignId } = await insertCampaign(trx, {
    workspaceId,
    name,
    description: '',
    isChannelCampaign: false,
    isTest: true,
    plan: planOfNow({ scheduleTime: null }),
    html: [...header.map((line) => `<p>${escape(line)}</p>`), post.html, ...translated.map(({ html }) => html)].join(
      '',
    ),
    text,
    mediaId: post.mediaId,
    extras: {
      ...(fileName !== undefined && { fileName }),
      ...(files && { files }),
      ...(linkPreview && { linkPreview }),
    },
    groupIds: [groupId],
    dueAt: dueNow(await readNow(trx)),
  });
  await startNow(trx, { workspaceId, campaignId });
  await execute(trx)`
    insert into approval_reviews (campaign_id, workspace_id, approval_id, version, hash, asked_by)
    values (${campaignId}, ${workspaceId}, ${approvalId}, ${version}, ${hash}, ${askedBy})`;
  return undefined;
}

/**
 * Locks the ledger of a workspace that shows a request in a review group. Call it before the request itself is locked, as everybody who
 * decides does, and `cancelReviews` after it.
 */
export async function lockReviews(trx: Connection, workspaceId: WorkspaceId, approvalId: string): Promise<void> {
  const isFound = await hasRow(trx)`
    select from approval_reviews where workspace_id = ${workspaceId} and approval_id = ${approvalId} limit 1`;
  if (isFound) await lockLedger(trx, workspaceId);
}

/** Cancels the review posts of a request that have not left. The ledger must be locked. */
export async function cancelReviews(trx: Connection, workspaceId: WorkspaceId, approvalId: string): Promise<void> {
  const rows = await readRows<{ workspaceId: WorkspaceId; campaignId: number }>(trx)`
    select c.workspace_id as "workspaceId", c.campaign_id as "campaignId"
    from approval_reviews v join campaigns c on c.campaign_id = v.campaign_id and c.finished_at is null
    where v.workspace_id = ${workspaceId} and v.approval_id = ${approvalId}`;
  for (const campaign of rows) await cancelRuns(trx, campaign);
}

/** The public id of the post of a version in the review group; null: it has none, or that was deleted. */
export async function findReview(
  db: Connection,
  workspaceId: WorkspaceId,
  { approvalId, version }: Pick<Approval, 'approvalId' | 'version'>,
): Promise<string | null> {
  return (
    (await readValue<string>(db)`
    select c.public_id as "publicId" from approval_reviews v join campaigns c using (campaign_id)
    where v.workspace_id = ${workspaceId} and v.approval_id = ${approvalId} and v.version = ${version} and c.deleted_at is null
    order by v.campaign_id desc`) ?? null
  );
}

async function readNames(trx: Connection, { askedBy, post }: Approval) {
  const rows = await readRows<{ askedBy: string; groupNames: string[] }>(trx)`
    select u.user_name as "askedBy", array(
             select g.name from unnest(${post.groupIds.slice(0, NAMED_GROUPS)}::bigint[]) with ordinality i (group_id, place)
             join groups g using (group_id) order by i.place) as "groupNames"
    from users u where u.user_id = ${askedBy}`;
  return rows[0] ?? { askedBy: '', groupNames: [] };
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** What a request says besides its post. */
export interface Shown {
  version: number;
  /** The user name of the person who asks. */
  askedBy: string;
  /** When it would leave, in order. Empty: as soon as it is approved. */
  dueAt: readonly Date[];
  /** The names of its first groups. */
  groupNames: readonly string[];
}

/** Whose language and time zone it is in. */
export interface Reader {
  language: string | null;
  /** IANA. */
  timeZone: string;
}

export interface Review {
  /** Of the campaign. */
  name: string;
  /** The lines above the post. */
  header: string[];
  /** Of the message: the header, and the post as its groups would get it. A poll or an event is written out. */
  text: string;
}

/** Of a campaign. */
const NAME_LIMIT = 200;
/** Groups that are named. */
export const NAMED_GROUPS = 10;
const LINE = '———';
const DAY_SECONDS = 86_400;

/** Returns a post as the review group is shown it. */
export function composeReview(post: AskedPost, shown: Shown, reader: Reader): Review {
  const language = knownLanguage(reader.language);
  const t = translatorFor(language);
  const { extras, groupIds } = post;
  const formats = new Intl.DateTimeFormat(LANGUAGES[language].locale, {
    timeZone: post.plan.timeZone ?? reader.timeZone,
    dateStyle: 'full',
    timeStyle: 'long',
  });
  const format = (at: Date) => formats.format(at);
  const { groupNames: names } = shown;
  const list = names.map(plainName).join(', ');
  const more = groupIds.length - names.length;
  const header = [
    `*${t('review.title', { version: String(shown.version) })}*`,
    // `forgetPerson` finds this line again.
    t('approvals.askedBy', { name: plainName(shown.askedBy) }),
    describeTimes(t, shown.dueAt.map(format)),
    more > 0 ? t('review.moreGroups', { names: list, more }) : t('review.groups', { names: list }),
    ...(extras.mentionAll ? [t('review.mentionAll')] : []),
    ...(extras.pinSeconds === undefined
      ? []
      : [t('review.pins', { days: Math.round(extras.pinSeconds / DAY_SECONDS) })]),
    ...(extras.replyTo ? [t('review.quotes')] : []),
    ...(extras.followUp ? [t('review.followUp', { percent: String(extras.followUp.underPercent) })] : []),
    t('review.howTo'),
  ];
  const name = t('review.campaign', { name: post.name }).slice(0, NAME_LIMIT).toWellFormed();
  const languages = new Intl.DisplayNames(LANGUAGES[language].locale, { type: 'language' });
  const translated = (post.template?.translations ?? []).flatMap((one) => [
    LINE,
    `*${languages.of(one.language) ?? one.language}*`,
    writePlaceholders(one.text, one.placeholders),
  ]);
  return { name, header, text: [...header, LINE, writeOut(post.text, extras, format), ...translated].join('\n') };
}

function describeTimes(t: Translate, times: readonly string[]): string {
  const [first] = times;
  const last = times.at(-1);
  if (first === undefined || last === undefined) return t('review.leavesNow');
  if (times.length === 1) return t('review.leavesOnce', { time: first });
  return t('review.leavesOften', { posts: times.length, first, last });
}

/** The text of a post, or of what it asks its recipients. */
function writeOut(text: string, { poll, event }: PostExtras, format: (at: Date) => string): string {
  if (poll)
    return [`*${poll.question}*`, ...poll.options.map((option) => `${poll.isMultiple ? '☐' : '○'} ${option}`)].join(
      '\n',
    );
  if (!event) return text;
  const times = [event.startAt, event.endAt].flatMap((at) => (at === undefined ? [] : [format(new Date(at))]));
  const lines = [`*${event.name}*`, event.description, times.join(' – '), event.place];
  return lines.filter((line) => line !== undefined && line !== '').join('\n');
}
