import { CampanileError } from '../../clients/typescript/failure.ts';

/** A change that was not even tried: there is no connection. */
export class OfflineError extends CampanileError {
  /** Whether this machine has no network at all. */
  readonly isOffline: boolean;

  constructor({ isOffline }: { isOffline: boolean }) {
    super('There is no connection. Nothing was sent', { code: 0 });
    this.isOffline = isOffline;
  }
}

/** A change that was sent and not answered: nobody knows whether it was done. */
export class UnansweredError extends CampanileError {
  constructor(cause: unknown) {
    super('No answer came', { code: 0, cause });
  }
}
