import type { OperationContract } from '../../../src/api/contract/define-operations.ts';
import { describeService } from '../../../src/api/server/serve-document.ts';
import { createDocument } from '../../../scripts/openapi/create-document.ts';

/** Returns the OpenAPI document of the declarations, or of these operations, as a service serves it. */
export async function readDocument(operations?: readonly OperationContract[]): Promise<unknown> {
  return describeService(await createDocument(operations), 'https://campanile.example');
}
