import type { QueryClient } from '@tanstack/react-query';
import { CampanileError } from '../../clients/typescript/failure.ts';
import { call } from '../api/call.ts';
import { ownGroupIds, type Draft } from '../compose/draft.ts';
import { toMedia } from '../compose/draft-files.ts';
import { reachFields } from '../compose/reach.ts';
import { base64 } from '../compose/send-draft.ts';
import {
  updatePersistedDraft,
  draftsQuery,
  persistedDraftOf,
  draftKey,
  type PersistedDraft,
  type DraftSnapshot,
} from './persisted-draft.ts';
import { DRAFT_KEY } from './unsaved-changes.ts';

const SAVE_AFTER_MS = 600;
const RETRY_MS = 5_000;

/** One save at a time for each draft: two would conflict with each other. */
const inFlight = new Map<string, Promise<void>>();
const timers = new Map<string, ReturnType<typeof setTimeout>>();

/** Changes a draft and saves it a moment after its last change. Transient failures are retried. */
export function changeDraft(client: QueryClient, id: string, change: (before: PersistedDraft) => PersistedDraft): void {
  updatePersistedDraft(client, id, (before) => ({ ...change(before), isChanged: true }));
  saveSoon(client, id, SAVE_AFTER_MS);
}

function saveSoon(client: QueryClient, id: string, waitMs: number): void {
  clearTimeout(timers.get(id));
  const timer = setTimeout(() => void savePersistedDraft(client, id), waitMs);
  timers.set(id, timer);
}

/** Saves the unsaved changes of a draft. Never rejects: an error ends up in the draft's `problem`. */
export function savePersistedDraft(client: QueryClient, id: string): Promise<void> {
  clearTimeout(timers.get(id));
  timers.delete(id);
  const before = inFlight.get(id) ?? Promise.resolve();
  const saving = before
    .then(() => saveOnce(client, id))
    .finally(() => {
      if (inFlight.get(id) === saving) inFlight.delete(id);
    });
  inFlight.set(id, saving);
  return saving;
}

/** Saves all drafts of this page. Never rejects. */
export async function saveAllDrafts(client: QueryClient): Promise<void> {
  const open = client.getQueryCache().findAll({ queryKey: DRAFT_KEY });
  await Promise.all(open.map(({ queryKey }) => savePersistedDraft(client, String(queryKey[1]))));
}

/** Deletes a draft here and on the service, where it may not exist. */
export async function deleteDraft(client: QueryClient, id: string): Promise<void> {
  const kept = persistedDraftOf(client, id);
  // Still empty: the page goes on with it.
  if (kept && kept.version === 0 && !kept.isChanged) return;
  if (kept) updatePersistedDraft(client, id, (now) => ({ ...now, isChanged: false }));
  await inFlight.get(id);
  const left = persistedDraftOf(client, id);
  // An unanswered save may have created it.
  if (!left || left.version > 0 || left.unanswered)
    try {
      await call('venom/delete-draft', { draft_id: id });
    } catch (error) {
      if (!(error instanceof CampanileError && error.status === 404)) {
        updatePersistedDraft(client, id, (now) => ({ ...now, isChanged: kept?.isChanged ?? false }));
        throw error;
      }
    }
  client.removeQueries({ queryKey: draftKey(id) });
  void client.invalidateQueries({ queryKey: draftsQuery.queryKey });
}

/** Returns whether a retry may succeed. */
export function isTransient(problem: unknown): boolean {
  return problem instanceof CampanileError && (problem.status === 0 || problem.status === 429 || problem.status >= 500);
}

/** Returns whether the draft was changed or deleted in another place (optimistic concurrency). */
export function isConflict(problem: unknown): boolean {
  return hasFieldError(problem, 409, 'version') || isDeletedElsewhere(problem);
}

/** Returns whether the draft was sent or deleted in another place. */
export function isDeletedElsewhere(problem: unknown): boolean {
  return hasFieldError(problem, 404, 'draft_id');
}

function hasFieldError(problem: unknown, code: number, field: string): boolean {
  return (
    problem instanceof CampanileError && problem.status === code && problem.details.some((one) => one.field === field)
  );
}

function needsSave(kept: PersistedDraft | undefined): kept is PersistedDraft {
  return kept?.isChanged === true && !isConflict(kept.problem);
}

async function saveOnce(client: QueryClient, id: string): Promise<void> {
  const kept = persistedDraftOf(client, id);
  if (!needsSave(kept)) return;
  // Repeats an unanswered save unchanged: if it had arrived, a newer text of the same version would be a conflict.
  const sent: DraftSnapshot = kept.unanswered ?? kept;
  try {
    const { version } = await call('venom/save-draft', await toSaveBody(id, sent));
    updatePersistedDraft(client, id, (now) => ({
      ...now,
      version,
      unanswered: undefined,
      problem: null,
      isChanged: now.isChanged && (now.draft !== sent.draft || now.file !== sent.file),
      isOtherFile: now.file !== sent.file,
    }));
    void client.invalidateQueries({ queryKey: draftsQuery.queryKey });
  } catch (problem) {
    if (isOfFile(problem, sent)) {
      updatePersistedDraft(client, id, (now) => ({
        ...now,
        unanswered: undefined,
        ...(now.file === sent.file && { fileProblem: problem }),
      }));
      return saveOnce(client, id);
    }
    const isOpen = isTransient(problem);
    updatePersistedDraft(client, id, (now) => ({ ...now, problem, unanswered: isOpen ? sent : undefined }));
    if (isOpen) saveSoon(client, id, RETRY_MS);
    return;
  }
  if (sent === kept.unanswered) await saveOnce(client, id);
}

/** Returns whether the save failed because of its file: the words can be saved without it. */
function isOfFile(problem: unknown, sent: DraftSnapshot): boolean {
  if (!sentFile(sent) || !(problem instanceof CampanileError)) return false;
  return hasFieldError(problem, 400, 'image') || problem.status === 413 || problem.errorCode === 'storage_full';
}

/** Returns the file that a save sends along, or null. */
function sentFile({ file, isOtherFile, fileProblem }: DraftSnapshot): File | null {
  return isOtherFile && fileProblem === undefined ? file : null;
}

async function toSaveBody(id: string, sent: DraftSnapshot) {
  const { draft, version, isOtherFile } = sent;
  const file = sentFile(sent);
  return {
    draft_id: id,
    version,
    ...toFields(draft),
    idempotency_key: draft.idempotencyKey,
    ...reachFields(draft),
    ...(isOtherFile && (file ? { image: await base64(file) } : { remove_image: true })),
  };
}

/** Returns what a draft and a template have in common, but for the file and the reach. */
export function toFields(draft: Draft) {
  return {
    name: draft.name,
    html: draft.html,
    media: toMedia(draft.files),
    poll: draft.poll,
    event: draft.event,
    link_preview: draft.card,
    group_metadata_ids: ownGroupIds(draft),
    is_schedule: draft.isScheduled,
    start_date: draft.startDate,
    end_date: draft.endDate,
    schedule_time: draft.time,
    time_zone: draft.timeZone,
    weekdays: [...draft.weekdays],
    skip_dates: [...draft.skipDates],
    recurrence: draft.recurrence,
  };
}
