import type { FastifyReply, FastifyRequest } from 'fastify';
import type { OperationContract } from '../contract/define-operations.ts';
import { sendFailure } from './answer.ts';
import type { ErrorToAnswer } from './error-handler.ts';
import { listErrorCodes } from './operation-errors.ts';

/** Returns an error handler for tests: a failure with a code that the operation does not declare is a defect, and is logged as one. */
export function assertDeclaredError(operation: OperationContract, toErrorAnswer: ErrorToAnswer) {
  const declared = new Set(listErrorCodes(operation));
  return (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
    const answer = toErrorAnswer(error, request);
    const defect = new Error(`${operation.path} answers ${answer.code}, which it does not declare`, { cause: error });
    sendFailure(declared.has(answer.code) ? answer : toErrorAnswer(defect, request), request, reply);
  };
}
