/** Queries in JSON (MEX): each is stored at WhatsApp under an id, which WhatsApp may retire at any time. */
import type { Client } from '../client/client.ts';
import { NoAnswerError, QueryRejectedError, rejectionCodeOf, UnreadableAnswerError } from '../client/errors.ts';
import { childOf } from '../client/node.ts';
import { classifyRejection } from '../failures.ts';

export interface MexQuery {
  id: string;
  variables: object;
}

interface MexOptions {
  /** The field of the answer that is returned. */
  field: string;
  timeoutMs: number;
  /** Repeating the query has no effect. Then the next one is tried after silence and unreadable answers, too. */
  isRepeatable: boolean;
}

/**
 * Asks with the first query, and with the next one if WhatsApp rejects it, because its id may be retired. Returns the field, which is not
 * null. Throws as `Client.query` does, and UnreadableAnswerError.
 */
export async function queryMex(
  client: Client,
  queries: readonly [MexQuery, ...MexQuery[]],
  options: MexOptions,
): Promise<unknown> {
  const [query, ...others] = queries;
  try {
    return await ask(client, query, options);
  } catch (error) {
    const [next, ...rest] = others;
    if (!next || !mayHelp(error, options)) throw error;
    return queryMex(client, [next, ...rest], options);
  }
}

function mayHelp(error: unknown, { isRepeatable }: MexOptions): boolean {
  const code = rejectionCodeOf(error);
  if (code !== undefined) return classifyRejection(code).kind !== 'cooldown';
  return isRepeatable && (error instanceof NoAnswerError || error instanceof UnreadableAnswerError);
}

async function ask(client: Client, { id, variables }: MexQuery, { field, timeoutMs }: MexOptions): Promise<unknown> {
  const query = { tag: 'query', attrs: { query_id: id }, content: Buffer.from(JSON.stringify({ variables })) };
  const answer = await client.query({ type: 'get', xmlns: 'w:mex', content: [query] }, timeoutMs);
  const { content } = childOf(answer, 'result') ?? {};
  if (!(content instanceof Uint8Array)) throw new UnreadableAnswerError('an answer has no result');
  const { data, errors } = parse(content);
  const found = data?.[field];
  if (found !== undefined && found !== null) return found;
  const [error] = errors ?? [];
  if (!error) throw new UnreadableAnswerError('an answer has no data');
  throw new QueryRejectedError(Number(error.extensions?.error_code) || 400, error.message ?? '');
}

interface MexAnswer {
  data?: Record<string, unknown> | null;
  errors?: Array<{ message?: string; extensions?: { error_code?: number } }>;
}

/** Answers may come in another format than JSON. */
function parse(content: Uint8Array): MexAnswer {
  try {
    const answer = JSON.parse(Buffer.from(content).toString()) as MexAnswer | null;
    if (typeof answer === 'object' && answer !== null) return answer;
  } catch (error) {
    throw new UnreadableAnswerError('an answer is not JSON', { cause: error });
  }
  throw new UnreadableAnswerError('an answer is no object');
}
