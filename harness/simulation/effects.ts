/** When requests took effect, or may have. */
import { isOf, isTakenBack, type Case } from './case.ts';
import type { Span } from './spans.ts';

type Request = Case['requests'][number];

/** A code of the service's own says that nothing came of the request. A code of the network or of PostgreSQL leaves it open. */
const isRejected = ({ answer }: Request) => answer?.error != null && /^[a-z]+_[a-z_]+$/.test(answer.error);

/** Whether a request may have taken effect. */
export const mayApply = (request: Request) => !isRejected(request);

/** Whether a request has taken effect, and not been lost with a ledger that was put back. */
export const hasApplied = (facts: Case, request: Request) =>
  request.answer !== undefined && request.answer.error === null && !isTakenBack(facts, request);

/** Returns the instants between which a request takes effect, if it does: without an answer its process can still end it until it dies. */
export function effectOf({ lines }: Case, { atMs, answer, process }: Request): Span {
  if (answer) return { fromMs: atMs, toMs: answer.atMs };
  const end = lines.find((line) => line.kind === 'crashed' && line.process === process && line.atMs >= atMs);
  return { fromMs: atMs, toMs: end?.atMs ?? Infinity };
}

/** Returns the spans in which a state may have held that requests of the first kind begin, and requests of the second surely end. */
export function possibleSpans(facts: Case, begins: readonly Request[], ends: readonly Request[]): Span[] {
  return begins.filter(mayApply).map((begin) => {
    const { toMs } = effectOf(facts, begin);
    const end = ends.find((one) => one !== begin && hasApplied(facts, one) && one.atMs >= toMs);
    return { fromMs: begin.atMs, toMs: end?.answer?.atMs ?? Infinity };
  });
}

/** Whether the user of an account may have been deleted. */
export const isErased = ({ requests }: Case, accountId: number) =>
  requests.some((one) => one.operation === 'erase' && one.accountId === accountId && mayApply(one));

/** Returns the requests about a campaign that are of one of these operations, and not surely about another run. */
export const requestsOf = (facts: Case, text: string, operations: readonly string[], runId?: number) =>
  facts.requests.filter(
    (one) =>
      operations.includes(one.operation) &&
      isOf(one.text, text) &&
      (runId === undefined || one.answer?.runId === undefined || one.answer.runId === runId),
  );
