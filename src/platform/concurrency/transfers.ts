import { AppError } from '../errors/errors.ts';
import { createFairSemaphore, type FairSemaphoreOptions, type PermitRequest } from './fair-semaphore.ts';
import { unlessAborted } from './unless-aborted.ts';

export type Transfers = ReturnType<typeof createTransfers>;

export interface Transfer {
  /** Aborted when the transfer has lost its permit; its reason is an AppError for the peer. */
  readonly signal: AbortSignal;
  /** Resolves and rejects as `work`, which is the peer's, but rejects at once when the permit is lost. */
  wait<Result>(work: Promise<Result>): Promise<Result>;
  /** Passes on pieces that the peer sends. Throws when the permit is lost. */
  receive<Piece extends Uint8Array>(pieces: AsyncIterable<Piece>): AsyncGenerator<Piece>;
  /** Passes on pieces that the peer takes. */
  send<Piece extends string | Uint8Array>(pieces: AsyncIterable<Piece>): AsyncGenerator<Piece>;
  /** Gives the permit back. Calling it twice does no harm. */
  end(): void;
}

/** The minimum rate of a transfer while others wait: `bytesPerSecond` at first, doubled every `doublingMs`, up to `mostBytesPerSecond`. */
export interface ContendedPace {
  bytesPerSecond: number;
  mostBytesPerSecond: number;
  doublingMs: number;
  /** One transfer at most loses its permit in so long. */
  checkMs: number;
}

/** A transfer that holds a permit. */
interface Held {
  movedBytes: number;
  /** Whether it waits for its peer, and not for us. */
  isPeersTurn: boolean;
  /** Its state when others began to wait, or when it was last our turn. */
  since: { bytes: number; atMs: number };
  lose(reason: AppError): void;
}

/**
 * Permits for transfers, whose duration their peer decides: bodies, files and answers. Slowloris protection: while somebody waits for a
 * permit, the slowest transfer below a rising rate loses its own.
 */
export function createTransfers(options: FairSemaphoreOptions, pace: ContendedPace) {
  const permits = createFairSemaphore(options);
  const held = new Set<Held>();
  let timer: NodeJS.Timeout | undefined;

  /** Measures from now on, if somebody begins to wait. */
  function watch(): void {
    if (timer || !permits.isContended()) return;
    const contendedAtMs = performance.now();
    for (const transfer of held) transfer.since = stateOf(transfer);
    timer = setInterval(() => {
      if (permits.isContended()) dropSlowest(performance.now() - contendedAtMs);
      else stop();
    }, pace.checkMs).unref();
  }

  function stop(): void {
    clearInterval(timer);
    timer = undefined;
  }

  function dropSlowest(contendedMs: number): void {
    const { bytesPerSecond: first, mostBytesPerSecond: most, doublingMs } = pace;
    const required = Math.min(most, first * 2 ** (contendedMs / doublingMs));
    let slowest: { transfer: Held; rate: number } | undefined;
    for (const transfer of held) {
      if (!transfer.isPeersTurn) transfer.since = stateOf(transfer);
      const { bytes, atMs } = transfer.since;
      const measuredMs = performance.now() - atMs;
      const rate = ((transfer.movedBytes - bytes) / measuredMs) * 1_000;
      if (measuredMs >= doublingMs && rate < Math.min(required, slowest?.rate ?? Infinity))
        slowest = { transfer, rate };
    }
    if (!slowest) return;
    held.delete(slowest.transfer);
    slowest.transfer.lose(tooSlow(required));
  }

  return {
    /** Waits for a permit. Throws as `FairSemaphore.acquire` does. */
    async begin(request: PermitRequest): Promise<Transfer> {
      const acquiring = permits.acquire(request);
      watch();
      const release = await acquiring;
      const lost = new AbortController();
      const transfer: Held = {
        movedBytes: 0,
        isPeersTurn: false,
        since: { bytes: 0, atMs: performance.now() },
        lose: (reason) => lost.abort(reason),
      };
      held.add(transfer);
      return {
        ...passPieces(transfer, lost.signal),
        end() {
          held.delete(transfer);
          release();
          watch();
        },
      };
    },
  };
}

function stateOf({ movedBytes }: Held): Held['since'] {
  return { bytes: movedBytes, atMs: performance.now() };
}

function tooSlow(bytesPerSecond: number): AppError {
  return new AppError(
    'body_too_slow',
    `Others wait, and this transfer was the slowest: at least ${Math.ceil(bytesPerSecond / 1024)} KiB a second were required`,
  );
}

function passPieces(transfer: Held, signal: AbortSignal): Omit<Transfer, 'end'> {
  async function wait<Result>(work: Promise<Result>): Promise<Result> {
    transfer.isPeersTurn = true;
    try {
      return await unlessAborted(work, signal);
    } finally {
      transfer.isPeersTurn = false;
    }
  }

  return {
    signal,
    wait,
    async *receive(pieces) {
      const iterator = pieces[Symbol.asyncIterator]();
      try {
        for (;;) {
          const next = await wait(iterator.next());
          if (next.done) return;
          transfer.movedBytes += next.value.length;
          yield next.value;
        }
      } finally {
        // A piece may be awaited still: its iterator ends once that has come, and nobody waits for it.
        void iterator.return?.();
      }
    },
    async *send(pieces) {
      for await (const piece of pieces) {
        transfer.isPeersTurn = true;
        yield piece;
        transfer.isPeersTurn = false;
        transfer.movedBytes += piece.length;
      }
      // The last pieces are on their way.
      transfer.isPeersTurn = true;
    },
  };
}
