/** The wire of the dashboard's session. Not a part of the API: the dashboard alone uses it, and it may change with it. */
import { z } from 'zod';
import { profile } from './users.ts';

/** Who is signed in, in which zone they live, and until when; null for nobody. */
export const sessionData = profile
  .extend({ expires_at: z.string().meta({ format: 'date-time', description: 'ISO 8601, in UTC.' }) })
  .nullable();
export type Session = z.output<typeof sessionData>;
