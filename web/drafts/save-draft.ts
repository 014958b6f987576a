import type { QueryClient } from '@tanstack/react-query';
import { CampanileError } from '../../clients/typescript/failure.ts';
import { call } from '../api/call.ts';
import { base64 } from '../compose/send.ts';
import {
  updatePersistedDraft,
  draftsQuery,
  persistedDraftOf,
  keyOf,
  type PersistedDraft,
  type Sent,
} from './persisted-draft.ts';
import { DRAFT_KEY } from './unsaved.ts';

const SAVE_AFTER_MS = 600;
const RETRY_MS = 5_000;

/** One at a time for each draft: two would be taken for two places. */
const underWay = new Map<string, Promise<void>>();
const soon = new Map<string, ReturnType<typeof setTimeout>>();

/** Changes a draft, and has it kept on the service a moment after its last change. What fails for the time being is tried again. */
export function changeDraft(client: QueryClient, id: string, change: (before: PersistedDraft) => PersistedDraft): void {
  updatePersistedDraft(client, id, (before) => ({ ...change(before), isChanged: true }));
  saveSoon(client, id, SAVE_AFTER_MS);
}

function saveSoon(client: QueryClient, id: string, waitMs: number): void {
  clearTimeout(soon.get(id));
  const timer = setTimeout(() => void savePersistedDraft(client, id), waitMs);
  soon.set(id, timer);
}

/** Sends to the service what it does not have yet. Never rejects: what went wrong is in the draft's `problem`. */
export function savePersistedDraft(client: QueryClient, id: string): Promise<void> {
  clearTimeout(soon.get(id));
  soon.delete(id);
  const before = underWay.get(id) ?? Promise.resolve();
  const saving = before
    .then(() => saveOnce(client, id))
    .finally(() => {
      if (underWay.get(id) === saving) underWay.delete(id);
    });
  underWay.set(id, saving);
  return saving;
}

/** Of every draft that this page has. Never rejects. */
export async function saveAllDrafts(client: QueryClient): Promise<void> {
  const open = client.getQueryCache().findAll({ queryKey: DRAFT_KEY });
  await Promise.all(open.map(({ queryKey }) => savePersistedDraft(client, String(queryKey[1]))));
}

/** Throws a draft away, here and on the service, where it may never have been. */
export async function dropDraft(client: QueryClient, id: string): Promise<void> {
  const kept = persistedDraftOf(client, id);
  // Nothing is in it yet, and the page that shows it goes on with it.
  if (kept && kept.version === 0 && !kept.isChanged) return;
  if (kept) updatePersistedDraft(client, id, (now) => ({ ...now, isChanged: false }));
  await underWay.get(id);
  const left = persistedDraftOf(client, id);
  // Of what was never answered nobody knows whether it is there.
  if (!left || left.version > 0 || left.unanswered)
    try {
      await call('venom/delete-draft', { draft_id: id });
    } catch (error) {
      if (!(error instanceof CampanileError && error.code === 404)) {
        updatePersistedDraft(client, id, (now) => ({ ...now, isChanged: kept?.isChanged ?? false }));
        throw error;
      }
    }
  client.removeQueries({ queryKey: keyOf(id) });
  void client.invalidateQueries({ queryKey: draftsQuery.queryKey });
}

/** Whether it may be kept when it is tried again as it is. */
export function isPassing(problem: unknown): boolean {
  return problem instanceof CampanileError && (problem.code === 0 || problem.code === 429 || problem.code >= 500);
}

/** Whether the service has another text of the draft than the one that was changed here, or none: another place was faster. */
export function isElsewhere(problem: unknown): boolean {
  return isAbout(problem, 409, 'version') || isGone(problem);
}

/** Whether the draft was sent or thrown away in another place. */
export function isGone(problem: unknown): boolean {
  return isAbout(problem, 404, 'draft_id');
}

function isAbout(problem: unknown, code: number, field: string): boolean {
  return (
    problem instanceof CampanileError && problem.code === code && problem.details.some((one) => one.field === field)
  );
}

function mustSave(kept: PersistedDraft | undefined): kept is PersistedDraft {
  return kept?.isChanged === true && !isElsewhere(kept.problem);
}

async function saveOnce(client: QueryClient, id: string): Promise<void> {
  const kept = persistedDraftOf(client, id);
  if (!mustSave(kept)) return;
  // Had it arrived, a newer text of the same version would be taken for one of another place; the same text once more is not.
  const sent: Sent = kept.unanswered ?? kept;
  try {
    const { version } = await call('venom/save-draft', await bodyOf(id, sent));
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
    const isOpen = isPassing(problem);
    updatePersistedDraft(client, id, (now) => ({ ...now, problem, unanswered: isOpen ? sent : undefined }));
    if (isOpen) saveSoon(client, id, RETRY_MS);
    return;
  }
  if (sent === kept.unanswered) await saveOnce(client, id);
}

async function bodyOf(id: string, { draft, file, version, isOtherFile }: Sent) {
  return {
    draft_id: id,
    version,
    name: draft.name,
    html: draft.html,
    group_metadata_ids: draft.groups.map((group) => group.group_metadata_id),
    is_schedule: draft.isScheduled,
    start_date: draft.startDate,
    end_date: draft.endDate,
    schedule_time: draft.time,
    time_zone: draft.timeZone,
    weekdays: [...draft.weekdays],
    idempotency_key: draft.idempotencyKey,
    ...(isOtherFile && (file ? { image: await base64(file) } : { remove_image: true })),
  };
}
