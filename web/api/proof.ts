import { useSyncExternalStore } from 'react';
import { CampanileError } from '../../clients/typescript/failure.ts';

/** Somebody who has to prove anew who they are, and what waits for it. */
interface Asked {
  done(): void;
  giveUp(): void;
}

let asked: Asked | undefined;
let underWay: Promise<void> | undefined;
const watchers = new Set<() => void>();

function show(next: Asked | undefined): void {
  asked = next;
  for (const watcher of watchers) watcher();
}

/** Does something, and when the service wants a fresh proof of who asks, has the user give it and does it again. */
export async function withProof<Result>(act: () => Promise<Result>): Promise<Result> {
  try {
    return await act();
  } catch (error) {
    if (!isUnproven(error)) throw error;
    await askOnce(error);
    return act();
  }
}

/** Of many at once the user is asked once. */
function askOnce(refusal: unknown): Promise<void> {
  underWay ??= new Promise<void>((done, giveUp) => {
    show({ done, giveUp: () => giveUp(refusal) });
  }).finally(() => {
    underWay = undefined;
    show(undefined);
  });
  return underWay;
}

/** What waits for a proof just now; undefined: nothing does. */
export function useReauthentication(): Asked | undefined {
  return useSyncExternalStore(
    (watcher) => {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
    () => asked,
  );
}

function isUnproven(error: unknown): boolean {
  return error instanceof CampanileError && error.code === 403 && error.details[0]?.field === 'authorization';
}
