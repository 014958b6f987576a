import type { OperationContract } from '../contract/define-operations.ts';
import { rejectBehindDoor } from './answer.ts';
import type { Door } from './door.ts';
import type { ErrorToAnswer } from './error-handler.ts';
import { listErrorCodes } from './operation-errors.ts';

/** Returns an error handler for tests: a failure with a code that the operation does not declare is a defect, and is logged as one. */
export function assertDeclaredError(operation: OperationContract, toErrorAnswer: ErrorToAnswer, door: Door) {
  const declared = new Set(listErrorCodes(operation));
  return rejectBehindDoor(door, (error, request) => {
    const answer = toErrorAnswer(error, request);
    const defect = new Error(`${operation.path} answers ${answer.code}, which it does not declare`, { cause: error });
    return declared.has(answer.code) ? answer : toErrorAnswer(defect, request);
  });
}
