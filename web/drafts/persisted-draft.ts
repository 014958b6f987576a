import { queryOptions, type QueryClient } from '@tanstack/react-query';
import { call, generateIdempotencyKey } from '../api/call.ts';
import type { Data } from '../api/operations.ts';
import { mediaQuery } from '../api/media.ts';
import { fromShown } from '../compose/draft-files.ts';
import { emptyDraft, type Draft } from '../compose/draft.ts';
import { toReach } from '../compose/reach.ts';
import { mediaName } from '../format/media-name.ts';
import { DRAFT_KEY } from './unsaved-changes.ts';

/**
 * A draft in this page. It lives in the query cache, so it survives an expired session and goes when the user signs out. The service
 * persists it.
 */
export interface PersistedDraft {
  draft: Draft;
  file: File | null;
  /** The version on the service; 0: none yet. */
  version: number;
  /** Whether it has changes that the service does not have. */
  isChanged: boolean;
  /** Whether its file differs from the one on the service. */
  isOtherFile: boolean;
  /** Why the service does not take the file. The words are saved without it. Absent: it takes the file, or has not seen it. */
  fileProblem?: unknown;
  /** A save without a response: the service may have it as the next version. */
  unanswered?: DraftSnapshot | undefined;
  /** Why it could not be saved, or null. */
  problem: unknown;
  /** Incremented when the service's version replaces the local one. */
  edition: number;
}

/** The state of a draft that a save sends. */
export type DraftSnapshot = Pick<PersistedDraft, 'draft' | 'file' | 'isOtherFile' | 'fileProblem' | 'version'>;

export type DraftRow = Data<'venom/list-drafts'>['drafts'][number];

const UUID_BYTES = 16;

export const draftsQuery = queryOptions({
  queryKey: ['drafts'],
  queryFn: ({ signal }) => call('venom/list-drafts', {}, { signal }),
});

export const draftKey = (id: string) => [...DRAFT_KEY, id] as const;

/** Fetched once: from then on the page has the latest state. */
export const draftQuery = (id: string, timeZone: string) =>
  queryOptions({
    queryKey: draftKey(id),
    queryFn: ({ client }): Promise<PersistedDraft> => fetchDraft(client, id, timeZone),
    staleTime: Infinity,
    gcTime: Infinity,
    structuralSharing: false,
  });

/** Fetches the draft from the service. */
export async function fetchDraft(client: QueryClient, id: string, timeZone: string): Promise<PersistedDraft> {
  const [row] = (await call('venom/list-drafts', { draft_id: id })).drafts;
  const content = row?.content;
  if (!row || !content) throw new Error('the service answered another draft');
  const blob = row.media && (await client.fetchQuery(mediaQuery(row.media.sha256)));
  const draft = toDraft({ ...content, name: row.name }, timeZone);
  const file = blob && new File([blob], mediaName(blob.type), { type: blob.type });
  return { draft, file, version: row.version, isChanged: false, isOtherFile: false, problem: null, edition: 0 };
}

type Content = NonNullable<DraftRow['content']>;

/** Returns the content of a draft or template of the service as a draft. */
export function toDraft(
  content: Omit<Content, 'idempotency_key'> & { name: string; idempotency_key?: string | null },
  timeZone: string,
): Draft {
  const blank = emptyDraft(timeZone);
  return {
    name: content.name,
    html: content.html,
    files: content.files.map(fromShown),
    poll: content.poll,
    event: content.event,
    card: content.link_preview,
    groups: content.groups,
    listedIds: listedIn(content),
    isScheduled: content.is_schedule,
    startDate: content.start_date,
    endDate: content.end_date,
    time: content.schedule_time ?? blank.time,
    timeZone: content.time_zone ?? timeZone,
    weekdays: content.weekdays ?? blank.weekdays,
    skipDates: content.skip_dates ?? blank.skipDates,
    recurrence: content.recurrence ?? null,
    idempotencyKey: content.idempotency_key ?? blank.idempotencyKey,
    ...toReach(content),
  };
}

function listedIn({
  groups,
  own_group_metadata_ids: own,
}: Pick<Content, 'groups' | 'own_group_metadata_ids'>): number[] {
  const ids = new Set(own);
  return groups.map((group) => group.group_metadata_id).filter((id) => !ids.has(id));
}

/** Creates a draft in the page's memory, with a new id unless given. Returns its id. */
export function createDraft(
  client: QueryClient,
  draft: Draft,
  file: File | null = null,
  id: string = generateDraftId(),
): string {
  const isOtherFile = file !== null;
  const kept: PersistedDraft = { draft, file, version: 0, isChanged: false, isOtherFile, problem: null, edition: 0 };
  client.setQueryData(draftKey(id), kept);
  return id;
}

export function updatePersistedDraft(
  client: QueryClient,
  id: string,
  change: (before: PersistedDraft) => PersistedDraft,
): void {
  client.setQueryData<PersistedDraft>(draftKey(id), (before) => before && change(before));
}

export function persistedDraftOf(client: QueryClient, id: string): PersistedDraft | undefined {
  return client.getQueryData<PersistedDraft>(draftKey(id));
}

/** A random UUID. Not `crypto.randomUUID`, which is missing on pages served over plain HTTP. */
export function generateDraftId(): string {
  const hex = generateIdempotencyKey().slice(0, UUID_BYTES * 2);
  const parts = [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20)];
  return parts.join('-');
}
