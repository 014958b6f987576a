import { isDeepStrictEqual } from 'node:util';
import { recordAudit, recordRepeatedAudit, type Actor } from '../../workspaces/audit/record-audit.ts';
import { accountNotFoundError } from '../accounts/store.ts';
import { execute, hasRow, type Database } from '../../platform/database/statements.ts';
import type { AccountId, UserId, WorkspaceId } from '../../platform/database/schema.ts';
import { AppError, fieldError, invalid } from '../../platform/errors/errors.ts';
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
  type DraftKind,
  type DraftRow,
} from './draft-store.ts';
import { diffValues, type Value } from '../../workspaces/audit/diff-values.ts';
import { diffGroups } from '../groups/diff-groups.ts';
import { noSuchGroupList, readGroupLists } from '../groups/group-lists.ts';
import { includesRole } from '../../workspaces/members/roles.ts';
import { plainFileName } from '../../content/media/file-name.ts';

/** Of either kind in a workspace. More would make the list of them a long one to look through. */
const DRAFTS_LIMIT = 100;

export interface DraftDeps {
  db: Database;
  /** The usual ones unless given. */
  quotas?: Quotas | undefined;
}

export interface DraftInput {
  kind: DraftKind;
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
 * Keeps a draft or template (contract §4, save-draft) and answers its new version. To save the same once more does nothing and answers the
 * version that is kept. A template has its files from the library, also one that is sent along. Throws 404 for a draft, a group, a group list
 * or an account that is not the workspace's, 400 for a template with files of both kinds, 403 for one of somebody else, 409 when the draft was
 * changed since that version or the workspace has as many as it may have, `no_room` when its files take what they may.
 */
export async function saveDraft(
  { db, quotas = QUOTAS }: DraftDeps,
  actor: Actor,
  { kind, draftId, version, name, content: sent, ...input }: DraftInput,
): Promise<number> {
  const { workspaceId } = actor;
  const groupIds = [...new Set(input.groupIds)];
  const isOfLibrary = kind === 'template';
  if (isOfLibrary && input.image !== undefined && sent.media) throw invalid([fieldError('media', 'not_with_image')]);
  const media = input.image === undefined ? undefined : await acceptMedia('image', input.image);
  if (!(await ownsGroups(db, workspaceId, groupIds))) throw noSuchGroup();
  if (typeof sent.account_id === 'number') await requireKnownAccount(db, workspaceId, sent.account_id);
  await checkFiles(db, workspaceId, { files: filesOf(sent) });
  const listIds = sent.group_list_ids ?? [];
  if ((await readGroupLists(db, workspaceId, listIds)).length < new Set(listIds).size)
    throw noSuchGroupList('group_list_ids');
  if (version === 0 && sent.link_preview?.image) await assertRoom(db, workspaceId, { draftId, kind });
  const shrunk = await shrinkCardPicture(sent);
  const stored = media && (await saveMedia(db, workspaceId, media, quotas));
  const content = isOfLibrary && stored !== undefined ? withFile(shrunk, stored) : shrunk;
  const mediaId = isOfLibrary ? null : (stored ?? (input.removeImage || content.media ? null : undefined));
  return db.transaction().execute(async (trx) => {
    // Nobody else begins a draft in this workspace meanwhile. What else the workspace does goes on.
    if (version === 0) await execute(trx)`select from workspaces where workspace_id = ${workspaceId} for no key update`;
    const kept = await lockDraft(trx, workspaceId, draftId);
    if (kept) requireOwn(kept, kind, actor);
    // Undefined: the file stays.
    const row: DraftRow = {
      name,
      content,
      groupIds,
      mediaId: mediaId === undefined ? (kept?.mediaId ?? null) : mediaId,
    };
    if (!kept) {
      if (version > 0) throw noSuchDraft(kind);
      if ((await countDrafts(trx, workspaceId, kind)) >= DRAFTS_LIMIT) throw tooManyDrafts(kind);
      await insertDraft(trx, actor, { draftId, kind }, row);
      await recordAudit(trx, { ...actor, action: `${kind}.created`, subject: draftId });
      return 1;
    }
    const isSame = isDeepStrictEqual(partsOf(kept), partsOf(row));
    if (isSame && kept.content.idempotency_key === content.idempotency_key) return kept.version;
    if (kept.version !== version) throw changedSince(kind);
    const groups = await diffGroups(trx, kept.groupIds, groupIds);
    const changes = [...diffValues(valuesOf(kept), valuesOf(row)), ...groups];
    await recordRepeatedAudit(trx, { ...actor, action: `${kind}.changed`, subject: draftId, changes });
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

/** Authors change the templates that they began, managers change all; a draft belongs to all who write. */
function requireOwn(kept: { kind: DraftKind; beganBy: UserId | null }, kind: DraftKind, { role, userId }: Actor): void {
  if (kept.kind !== kind) throw noSuchDraft(kind);
  if (kind === 'template' && kept.beganBy !== userId && !includesRole(role, 'manager'))
    throw new AppError('role_missing', 'Somebody else has begun this template: a manager can change or delete it');
}

/** Before a picture is decoded for it: throws 409 for a new draft where there are as many as there may be. */
async function assertRoom(
  db: Database,
  workspaceId: WorkspaceId,
  { draftId, kind }: Pick<DraftInput, 'draftId' | 'kind'>,
): Promise<void> {
  if ((await countDrafts(db, workspaceId, kind)) < DRAFTS_LIMIT) return;
  const isKept = await hasRow(db)`select from drafts where workspace_id = ${workspaceId} and draft_id = ${draftId}`;
  if (!isKept) throw tooManyDrafts(kind);
}

/** The name of its one file becomes the name of the file in the list. */
function withFile({ file_name: name, ...content }: DraftContent, mediaId: number): DraftContent {
  const file = { media_id: mediaId, ...(typeof name === 'string' && { file_name: plainFileName(name) }) };
  return { ...content, file_name: null, media: [file] };
}

/** The picture stays in the draft itself: only the card of a campaign takes room in the workspace's files. */
async function shrinkCardPicture(content: DraftContent): Promise<DraftContent> {
  const { link_preview: card } = content;
  if (!card?.image) return content;
  const { bytes } = await acceptCardPicture('link_preview.image', card.image);
  const image = `data:image/jpeg;base64,${bytes.toString('base64')}`;
  return { ...content, link_preview: { ...card, image } };
}

function changedSince(kind: DraftKind): AppError {
  return new AppError(`${kind}_changed`, `This ${kind} has changed since you loaded it. Load it again.`, {
    details: [fieldError('version', 'stale_version')],
  });
}

function tooManyDrafts(kind: DraftKind): AppError {
  const first = kind === 'draft' ? 'Send or delete' : 'Delete';
  return new AppError(
    `${kind}_limit_reached`,
    `You have reached the limit of ${DRAFTS_LIMIT} ${kind}s. ${first} one first.`,
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
    translations: (content.translations ?? []).map(({ language, html }) => `${language}: ${html}`),
    name,
    media_id: mediaId,
    weekdays: weekdays ?? [],
    skip_dates: skipDates ?? [],
    // Without its picture.
    link_preview: card ? { url: card.url, title: card.title, description: card.description } : null,
  };
}

/**
 * Throws a draft or template away (contract §4, delete-draft); its file goes a day later, unless a campaign has it. Throws 404, and 403 for
 * a template of somebody else.
 */
export async function deleteDraft(
  { db }: { db: Database },
  actor: Actor,
  { draftId, kind }: Pick<DraftInput, 'draftId' | 'kind'>,
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const kept = await lockDraft(trx, actor.workspaceId, draftId);
    if (!kept) throw noSuchDraft(kind);
    requireOwn(kept, kind, actor);
    await removeDraft(trx, actor.workspaceId, draftId);
    await recordAudit(trx, { ...actor, action: `${kind}.deleted`, subject: draftId });
  });
}
