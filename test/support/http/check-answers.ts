/** Checks that answers are what the contract says. It takes longer than making them, so the service does without. */
import { isDeepStrictEqual } from 'node:util';
import type { FastifyInstance } from 'fastify';
import type { BearerContext, Operation } from '../../../src/api/operation.ts';
import { listErrorCodes } from '../../../scripts/openapi/operation-errors.ts';
import { AppError } from '../../../src/platform/errors/errors.ts';

/** Returns an operation that fails where its answer violates its schema, or its error is one that it does not declare. */
export function checkAnswers(operation: Operation): Operation {
  const declared = new Set<string>(listErrorCodes(operation));
  const handle = async (context: BearerContext<unknown>) => {
    const data = await operation.handle(context).catch((error: unknown) => {
      if (!(error instanceof AppError) || declared.has(error.code)) throw error;
      throw new Error(undeclared(operation, error.code), { cause: error });
    });
    assertMatchesSchema(operation, data);
    return data;
  };
  return { ...operation, handle } as Operation;
}

/** The same for the errors of the server itself, such as those of a body that cannot be read. */
export function checkErrors(server: FastifyInstance, operations: readonly Operation[]): void {
  const byPath = new Map<string, Operation>(operations.map((operation) => [operation.path, operation]));
  server.addHook('onSend', async (request, reply, payload) => {
    const operation = byPath.get(request.routeOptions.url ?? '');
    if (!operation || reply.statusCode < 400 || typeof payload !== 'string') return;
    const { error_code: code } = JSON.parse(payload) as { error_code: string };
    if (!new Set<string>(listErrorCodes(operation)).has(code)) throw new Error(undeclared(operation, code));
  });
}

const undeclared = ({ path }: Operation, code: string) => `${path} answers ${code}, which it does not declare`;

function assertMatchesSchema({ answerType, path, data: schema }: Operation, data: unknown): void {
  if (answerType === '*/*') {
    schema.parse(data);
    return;
  }
  const asSent: unknown = JSON.parse(JSON.stringify(data));
  if (!isDeepStrictEqual(schema.parse(asSent), asSent)) throw new Error(`${path} answered more than its schema says`);
}
