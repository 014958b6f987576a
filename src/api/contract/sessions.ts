/** The wire of the list of sessions (contract §4). */
import { z } from 'zod';

const instant = z.string().meta({ format: 'date-time', description: 'ISO 8601, in UTC.' });

export const listSessionsData = z.object({
  sessions: z.array(
    z.object({
      session_id: z.uuid(),
      is_current: z.boolean().meta({ description: 'Whether this request came with its token.' }),
      agent: z.string().meta({ description: 'What the client called itself when it signed in: its `user-agent`.' }),
      address: z.string().meta({ description: 'Where it signed in from.' }),
      created_at: instant,
      last_used_at: instant.meta({ description: 'To five minutes.' }),
      expires_at: instant,
    }),
  ),
});

export const endSessionBody = z.object({ session_id: z.uuid() });
