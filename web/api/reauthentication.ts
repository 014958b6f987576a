import { useSyncExternalStore } from 'react';
import { CampanileError } from '../../clients/typescript/failure.ts';

/** A pending re-authentication. */
interface ReauthenticationRequest {
  resolve(): void;
  cancel(): void;
}

let current: ReauthenticationRequest | undefined;
let pending: Promise<void> | undefined;
const listeners = new Set<() => void>();

function setRequest(next: ReauthenticationRequest | undefined): void {
  current = next;
  for (const listener of listeners) listener();
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
  pending ??= new Promise<void>((resolve, reject) => {
    setRequest({ resolve, cancel: () => reject(refusal) });
  }).finally(() => {
    pending = undefined;
    setRequest(undefined);
  });
  return pending;
}

/** Returns the pending re-authentication, or undefined. */
export function useReauthentication(): ReauthenticationRequest | undefined {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => current,
  );
}

function needsReauthentication(error: unknown): boolean {
  return error instanceof CampanileError && error.status === 403 && error.details[0]?.field === 'authorization';
}
