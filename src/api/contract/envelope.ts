/** The envelope of every answer (contract §2). */
import { z } from 'zod';
import { count, issueCode, issueParams, objects, MOST_DETAILS } from './fields.ts';
import { ERROR_CODES, type ErrorCode } from '../../platform/errors/error-codes.ts';

export const successEnvelope = z
  .object({ error: z.literal(false), status: z.literal('success'), code: z.literal(200) })
  .meta({ id: 'Success', description: 'The envelope of a successful answer.' });

/** Returns the schema of a successful answer with this `data`. */
export function success<Data extends z.ZodType>(data: Data) {
  return z.intersection(successEnvelope, z.object({ data }));
}

const errorCode = z.enum(Object.keys(ERROR_CODES) as [ErrorCode, ...ErrorCode[]]).meta({ id: 'ErrorCode' });

export const failure = z
  .object({
    error: z.literal(true),
    status: z.literal('error'),
    code: z
      .number()
      .int()
      .meta({ description: 'The HTTP status.', examples: [400] }),
    error_code: errorCode.meta({
      description: 'The error for programs: a stable code. Later versions may add codes.',
      examples: ['invalid_request'],
    }),
    message: z
      .string()
      .meta({ description: 'The error for people, as one sentence.', examples: ['end_date is before start_date'] }),
    details: objects({
      field: z
        .string()
        .meta({ description: 'The dotted path of the field in the body.', examples: ['group_metadata_ids.3'] }),
      issue: z.string().meta({ description: 'What is wrong with the field.', examples: ['is before start_date'] }),
      code: issueCode,
      params: issueParams.optional(),
    })
      .max(MOST_DETAILS)
      .describe('The invalid fields. May be empty.'),
    more_details: count
      .min(1)
      .optional()
      .describe(
        'Number of further problems that were found. Absent if `details` has all. Validation of a list stops after 20 wrong items, so there may be more.',
      ),
    data: z.null(),
    request_id: z.string().describe('The id of the request, as in `x-request-id`.'),
  })
  .meta({ id: 'Failure', description: 'The answer to a failed request.' });
export type Failure = z.output<typeof failure>;
