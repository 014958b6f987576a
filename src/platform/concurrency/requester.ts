import { AsyncLocalStorage } from 'node:async_hooks';
import { joinParties, type Party } from './party.ts';

/** The requester of the current work, for fair sharing of resources. */
export interface Requester {
  /** The person and the workspace, or the address of a client that is not signed in. */
  party: Party;
  /** Writes of one key wait for the same rows, so they take turns in memory instead of each holding a connection meanwhile. */
  isWrite: boolean;
  /** Whether it has had a connection: from then on it is finished before new work of the same party begins. */
  hasBegun: boolean;
}

const storage = new AsyncLocalStorage<Requester>();

/** Does `work`, and all that it begins, for a requester. */
export function workFor<Result>({ party, isWrite }: Pick<Requester, 'party' | 'isWrite'>, work: () => Result): Result {
  return storage.run({ party, isWrite, hasBegun: false }, work);
}

/** Returns the requester of the current work; undefined for the service's own work. */
export function currentRequester(): Requester | undefined {
  return storage.getStore();
}

/** Returns the requester of the current work together with a workspace that the work is about, such as that of a shared report. */
export function partyIn(workspaceId: number): Party {
  return joinParties(storage.getStore()?.party ?? [], [`workspace ${workspaceId}`]);
}

/** Binds an iterable to the present requester, wherever its pieces are read. */
export function bindRequester<Piece>(pieces: AsyncIterable<Piece>): AsyncIterable<Piece> {
  const asNow = AsyncLocalStorage.snapshot();
  return {
    [Symbol.asyncIterator]() {
      const iterator = pieces[Symbol.asyncIterator]();
      return {
        next: () => asNow(() => iterator.next()),
        return: async () => (await asNow(() => iterator.return?.())) ?? { done: true, value: undefined },
      };
    },
  };
}
