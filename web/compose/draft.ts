import { useCallback, useEffect, useState } from 'react';
import { drawKey } from '../api/call.ts';
import type { Group } from '../api/operations.ts';
import { keepFile, readFile } from './draft-file.ts';

/** What is kept of a group that was picked: enough to show it without asking again. */
export type PickedGroup = Pick<Group, 'group_metadata_id' | 'group_name' | 'kind' | 'participants'>;

export function toPicked({ group_metadata_id, group_name, kind, participants }: PickedGroup): PickedGroup {
  return { group_metadata_id, group_name, kind, participants };
}

/** A post that is being written. Dates are `YYYY-MM-DD`, the time is `HH:MM`, weekdays count from 1, which is Monday. */
export interface Draft {
  name: string;
  html: string;
  groups: readonly PickedGroup[];
  isScheduled: boolean;
  startDate: string | null;
  endDate: string | null;
  time: string;
  timeZone: string;
  weekdays: readonly number[];
  /** Another one with each change, the same one when the same post is sent again after its answer was lost. */
  idempotencyKey: string;
}

const ALL_WEEK = [1, 2, 3, 4, 5, 6, 7];
const SAVE_AFTER_MS = 250;

/** Where the user's draft and its file are kept in this browser. */
export const draftKey = (userId: number): string => `campanile-draft-${userId}`;

export function emptyDraft(timeZone: string): Draft {
  return {
    name: '',
    html: '',
    groups: [],
    isScheduled: false,
    startDate: null,
    endDate: null,
    time: '09:00',
    timeZone,
    weekdays: ALL_WEEK,
    idempotencyKey: drawKey(),
  };
}

/** The user's draft, kept in this browser through reloads and sign-ins until it is sent or thrown away. */
export function useDraft(userId: number, timeZone: string) {
  const key = draftKey(userId);
  const [draft, setDraft] = useState(() => readDraft(key, timeZone));
  const [file, setFile] = useState<File | null>(null);

  useEffect(() => {
    let isCurrent = true;
    void readFile(key).then((kept) => {
      if (isCurrent && kept) setFile(kept);
    });
    return () => {
      isCurrent = false;
    };
  }, [key]);

  useEffect(() => {
    const save = () => localStorage.setItem(key, JSON.stringify(draft));
    const timer = setTimeout(save, SAVE_AFTER_MS);
    window.addEventListener('pagehide', save);
    return () => {
      clearTimeout(timer);
      window.removeEventListener('pagehide', save);
      // Also when the page is left before the timer fires, unless it was sent.
      if (localStorage.getItem(key) !== null) save();
    };
  }, [key, draft]);

  const update = useCallback(
    (change: Partial<Draft>) => setDraft((before) => ({ ...before, ...change, idempotencyKey: drawKey() })),
    [],
  );
  const attach = useCallback(
    (next: File | null) => {
      setFile(next);
      void keepFile(key, next);
      update({});
    },
    [key, update],
  );
  /** To be called when it was sent: nothing of it is kept. */
  const forget = useCallback(() => {
    localStorage.removeItem(key);
    void keepFile(key, null);
  }, [key]);
  const discard = useCallback(() => {
    setDraft(emptyDraft(timeZone));
    setFile(null);
    void keepFile(key, null);
  }, [key, timeZone]);
  return { draft, file, update, attach, forget, discard };
}

/** What is kept under this key, or an empty draft. */
export function readDraft(key: string, timeZone: string): Draft {
  const kept = localStorage.getItem(key);
  if (kept === null) return emptyDraft(timeZone);
  try {
    return { ...emptyDraft(timeZone), ...(JSON.parse(kept) as Partial<Draft>) };
  } catch {
    // Of another version, or meddled with: there is nothing to save in it.
    return emptyDraft(timeZone);
  }
}

/** Whether what is kept holds a message. */
export function hasText(kept: string | null): boolean {
  if (kept === null) return false;
  try {
    const { html = '' } = JSON.parse(kept) as Partial<Draft>;
    return html.replaceAll(/<[^>]*>/g, '').trim() !== '';
  } catch {
    // Of another version, or meddled with: there is nothing to save in it.
    return false;
  }
}
