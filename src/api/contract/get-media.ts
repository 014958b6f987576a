/** The wire of files (contract §4). */
import { z } from 'zod';

export const getMediaBody = z.object({
  sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/i, { error: 'must be 64 hexadecimal digits' })
    .meta({
      description: 'Of the file, as `media` in the answers of other operations has it.',
      examples: ['9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'],
    }),
});

/** Sent as they are, in no envelope. */
export const getMediaData = z.custom<AsyncIterable<Uint8Array>>(
  (value) => typeof value === 'object' && value !== null && Symbol.asyncIterator in value,
);
