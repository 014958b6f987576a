import { useSyncExternalStore } from 'react';
import { CampanileError } from '../../clients/typescript/failure.ts';

/** Somebody who has to prove anew who they are, and what waits for it. */
interface ReauthenticationRequest {
  done(): void;
  giveUp(): void;
}

let current: ReauthenticationRequest | undefined;
let pending: Promise<void> | undefined;
const listeners = new Set<() => void>();

function setRequest(next: ReauthenticationRequest | undefined): void {
  current = next;
  for (const watcher of listeners) watcher();
}

/** Does something, and when the service wants a fresh proof of who asks, has the user give it and does it again. */
export async function withReauthentication<Result>(act: () => Promise<Result>): Promise<Result> {
  try {
    return await act();
  } catch (error) {
    if (!needsReauthentication(error)) throw error;
    await promptOnce(error);
    return act();
  }
}

/** Of many at once the user is asked once. */
function promptOnce(refusal: unknown): Promise<void> {
  pending ??= new Promise<void>((done, giveUp) => {
    setRequest({ done, giveUp: () => giveUp(refusal) });
  }).finally(() => {
    pending = undefined;
    setRequest(undefined);
  });
  return pending;
}

/** What waits for a proof just now; undefined: nothing does. */
export function useReauthentication(): ReauthenticationRequest | undefined {
  return useSyncExternalStore(
    (watcher) => {
      listeners.add(watcher);
      return () => listeners.delete(watcher);
    },
    () => current,
  );
}

function needsReauthentication(error: unknown): boolean {
  return error instanceof CampanileError && error.code === 403 && error.details[0]?.field === 'authorization';
}
