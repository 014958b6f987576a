import { isDeepStrictEqual } from 'node:util';
import { recordAudit, recordRepeatedAudit, type Actor } from '../../workspaces/audit/record-audit.ts';
import { accountNotFoundError } from '../accounts/store.ts';
import { execute, hasRow, type Database } from '../../platform/database/statements.ts';
import type { AccountId, WorkspaceId } from '../../platform/database/schema.ts';
import { AppError, fieldError } from '../../platform/errors/errors.ts';
import { acceptCardPicture, acceptMedia } from '../../content/media/accept-media.ts';
import { saveMedia } from '../../content/media/store.ts';
import { checkFiles } from '../../content/post/post-files.ts';
import { QUOTAS, type Quotas } from '../../workspaces/quotas/quotas.ts';
import {
  countDrafts,
  insertDraft,
  lockDraft,
  overwriteDraft,
  ownsGroups,
  filesOf,
  noSuchDraft,
  removeDraft,
  type DraftContent,
  type DraftRow,
} from './draft-store.ts';
import { diffValues, type Value } from '../../workspaces/audit/diff-values.ts';
import { diffGroups } from '../groups/diff-groups.ts';

/** Of a workspace. More would make the list of them a long one to look through. */
const DRAFTS_LIMIT = 100;

export interface DraftDeps {
  db: Database;
  /** The usual ones unless given. */
  quotas?: Quotas | undefined;
}

export interface DraftInput {
  draftId: string;
  /** The version that was changed; 0 for a new draft. */
  version: number;
  name: string;
  content: DraftContent;
  /** A repeated id counts once. */
  groupIds: readonly number[];
  /** base64; undefined: the file stays. */
  image: string | undefined;
  removeImage: boolean;
}

/**
 * Keeps a draft (contract §4, save-draft) and answers its new version. To save the same once more does nothing and answers the version that
 * is kept. Throws 404 for a draft, a group or an account that is not the workspace's, 409 when the draft was changed since that version or the
 * workspace has as many as it may have, `no_room` when its files take what they may.
 */
export async function saveDraft(
  { db, quotas = QUOTAS }: DraftDeps,
  actor: Actor,
  { draftId, version, name, content: sent, ...input }: DraftInput,
): Promise<number> {
  const { workspaceId } = actor;
  const groupIds = [...new Set(input.groupIds)];
  const media = input.image === undefined ? undefined : await acceptMedia('image', input.image);
  if (!(await ownsGroups(db, workspaceId, groupIds))) throw noSuchGroup();
  if (typeof sent.account_id === 'number') await requireKnownAccount(db, workspaceId, sent.account_id);
  await checkFiles(db, workspaceId, { files: filesOf(sent) });
  if (version === 0 && sent.link_preview?.image) await assertRoom(db, workspaceId, draftId);
  const content = await shrinkCardPicture(sent);
  const stored = media && (await saveMedia(db, workspaceId, media, quotas));
  const mediaId = stored ?? (input.removeImage || content.media ? null : undefined);
  return db.transaction().execute(async (trx) => {
    // Nobody else begins a draft in this workspace meanwhile. What else the workspace does goes on.
    if (version === 0) await execute(trx)`select from workspaces where workspace_id = ${workspaceId} for no key update`;
    const kept = await lockDraft(trx, workspaceId, draftId);
    // Undefined: the file stays.
    const row: DraftRow = {
      name,
      content,
      groupIds,
      mediaId: mediaId === undefined ? (kept?.mediaId ?? null) : mediaId,
    };
    if (!kept) {
      if (version > 0) throw noSuchDraft();
      if ((await countDrafts(trx, workspaceId)) >= DRAFTS_LIMIT) throw tooManyDrafts();
      await insertDraft(trx, actor, draftId, row);
      await recordAudit(trx, { ...actor, action: 'draft.created', subject: draftId });
      return 1;
    }
    const isSame = isDeepStrictEqual(partsOf(kept), partsOf(row));
    if (kept.version !== version) {
      if (isSame && kept.content.idempotency_key === content.idempotency_key) return kept.version;
      throw changedSince();
    }
    const groups = await diffGroups(trx, kept.groupIds, groupIds);
    const changes = [...diffValues(valuesOf(kept), valuesOf(row)), ...groups];
    await recordRepeatedAudit(trx, { ...actor, action: 'draft.changed', subject: draftId, changes });
    // A user who saves what is there already, as forms do, has not written it.
    return (await overwriteDraft(trx, actor, draftId, { ...row, isWriter: !isSame })) ?? kept.version;
  });
}

/** All of a draft that somebody wrote, as the database keeps it. A form draws an idempotency key by itself. */
function partsOf({ name, content, groupIds, mediaId }: DraftRow): unknown {
  return JSON.parse(JSON.stringify({ name, content: { ...content, idempotency_key: null }, groupIds, mediaId }));
}

/** Throws 404 for an account that the workspace never had: a draft is kept with what was removed since. */
async function requireKnownAccount(db: Database, workspaceId: WorkspaceId, accountId: AccountId): Promise<void> {
  const isFound = await hasRow(db)`
    select from accounts where account_id = ${accountId}::bigint and workspace_id = ${workspaceId}`;
  if (!isFound) throw accountNotFoundError('account_id');
}

/** Before a picture is decoded for it: throws 409 for a new draft where there are as many as there may be. */
async function assertRoom(db: Database, workspaceId: WorkspaceId, draftId: string): Promise<void> {
  if ((await countDrafts(db, workspaceId)) < DRAFTS_LIMIT) return;
  const isKept = await hasRow(db)`select from drafts where workspace_id = ${workspaceId} and draft_id = ${draftId}`;
  if (!isKept) throw tooManyDrafts();
}

/** The picture stays in the draft itself: only the card of a campaign takes room in the workspace's files. */
async function shrinkCardPicture(content: DraftContent): Promise<DraftContent> {
  const { link_preview: card } = content;
  if (!card?.image) return content;
  const { bytes } = await acceptCardPicture('link_preview.image', card.image);
  const image = `data:image/jpeg;base64,${bytes.toString('base64')}`;
  return { ...content, link_preview: { ...card, image } };
}

function changedSince(): AppError {
  return new AppError('draft_changed', 'This draft has changed since you loaded it. Load it again.', {
    details: [fieldError('version', 'stale_version')],
  });
}

function tooManyDrafts(): AppError {
  return new AppError(
    'draft_limit_reached',
    `You have reached the limit of ${DRAFTS_LIMIT} drafts. Send or delete one first.`,
  );
}

function noSuchGroup(): AppError {
  return new AppError('group_not_found', 'You have no group with this id', {
    details: [fieldError('group_metadata_ids', 'foreign_group')],
  });
}

/** The fields of the content have the names of requests. */
function valuesOf({ name, content, mediaId }: DraftRow): Record<string, Value> {
  const { idempotency_key: _, link_preview: card, weekdays, skip_dates: skipDates, ...fields } = content;
  return {
    ...fields,
    name,
    media_id: mediaId,
    weekdays: weekdays ?? [],
    skip_dates: skipDates ?? [],
    // Without its picture.
    link_preview: card ? { url: card.url, title: card.title, description: card.description } : null,
  };
}

/** Throws a draft away (contract §4, delete-draft); its file goes a day later, unless a campaign has it. Throws 404. */
export async function deleteDraft({ db }: { db: Database }, actor: Actor, draftId: string): Promise<void> {
  await db.transaction().execute(async (trx) => {
    if (!(await removeDraft(trx, actor.workspaceId, draftId))) throw noSuchDraft();
    await recordAudit(trx, { ...actor, action: 'draft.deleted', subject: draftId });
  });
}
