/** The envelope of every answer (contract §2). */
import { z } from 'zod';

/** What a success with this `data` looks like on the wire. */
export function success<Data extends z.ZodType>(data: Data) {
  return z.object({
    error: z.literal(false),
    status: z.literal('success'),
    code: z.literal(200),
    data,
  });
}

export const failure = z
  .object({
    error: z.literal(true),
    status: z.literal('error'),
    code: z
      .number()
      .int()
      .meta({ description: 'Equals the HTTP status.', examples: [400] }),
    error_code: z.string().meta({
      description: 'What failed, for programs: one of those in the reference, which never change their meaning.',
      examples: ['invalid_request'],
    }),
    message: z.string().meta({ description: 'One plain sentence.', examples: ['end_date is before start_date'] }),
    details: z
      .array(
        z.object({
          field: z.string().meta({ description: 'A dotted path in the body.', examples: ['group_metadata_ids.3'] }),
          issue: z.string().meta({ examples: ['is before start_date'] }),
        }),
      )
      .meta({ description: 'What is wrong with which field; may be empty.' }),
    data: z.null(),
    request_id: z.string().meta({ description: 'The same as in `x-request-id`.' }),
  })
  .meta({ id: 'Failure', description: 'The answer to a request that failed.' });
export type Failure = z.output<typeof failure>;
