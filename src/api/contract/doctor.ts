/** The wire of what administrators are told of the installation (contract §4). */
import { z } from 'zod';

export const getInstallationData = z.object({
  examined_at: z.string().meta({ format: 'date-time', description: 'ISO 8601, in UTC.' }),
  findings: z.array(
    z.object({
      check: z
        .string()
        .meta({ description: 'What was looked at: `database`, `disk`, `backups` …; there may come to be others.' }),
      level: z.enum(['ok', 'warning', 'error']).meta({
        description:
          '`error`: something does not work, or is about to be lost. `warning`: it works, and somebody should see to it.',
      }),
      message: z.string().meta({ description: 'What was found, in English.' }),
      advice: z.string().nullable().meta({ description: 'What to do; `null`: nothing.' }),
    }),
  ),
});
