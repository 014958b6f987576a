import { CampanileError } from '../../clients/typescript/failure.ts';

/** A change that was not sent because there is no connection. */
export class OfflineError extends CampanileError {
  /** Whether this machine has no network at all. */
  readonly isOffline: boolean;

  constructor({ isOffline }: { isOffline: boolean }) {
    super('There is no connection. Nothing was sent', { status: 0 });
    this.isOffline = isOffline;
  }
}

/** A change that was sent and not answered: its outcome is unknown. */
export class UnansweredError extends CampanileError {
  constructor(cause: unknown) {
    super('No answer came', { status: 0, cause });
  }
}
