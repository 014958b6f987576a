import { useSyncExternalStore } from 'react';
import { CampanileError } from '../../clients/typescript/failure.ts';

/** A pending re-authentication. */
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

/** Step-up authentication: runs `act`; if the service asks for a fresh proof of identity, prompts the user and runs it again. */
export async function withReauthentication<Result>(act: () => Promise<Result>): Promise<Result> {
  try {
    return await act();
  } catch (error) {
    if (!needsReauthentication(error)) throw error;
    await promptOnce(error);
    return act();
  }
}

/** Several requests at once share one prompt. */
function promptOnce(refusal: unknown): Promise<void> {
  pending ??= new Promise<void>((done, giveUp) => {
    setRequest({ done, giveUp: () => giveUp(refusal) });
  }).finally(() => {
    pending = undefined;
    setRequest(undefined);
  });
  return pending;
}

/** Returns the pending re-authentication, or undefined. */
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
