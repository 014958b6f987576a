/** The wire of quiet hours, the daily cap and the warm-up (contract §4). */
import { z } from 'zod';
import { optional } from './fields.ts';

const timeOfDay = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, { error: 'must be a time of day of the form HH:MM' });
const quietHours = z
  .object({ from: timeOfDay.meta({ examples: ['22:00'] }), to: timeOfDay.meta({ examples: ['07:00'] }) })
  .meta({ description: 'Times of day in your time zone. Over midnight when `to` comes first.' });
/** Not null, which counts as left out (contract §2). */
const none = z.literal('none').meta({ description: 'Off.' });

export const updateAccountBody = z
  .object({
    quiet_hours: optional(
      z.union([
        quietHours.refine(({ from, to }) => from !== to, { path: ['to'], error: 'must be another time than from' }),
        none,
      ]),
    ).meta({ description: 'Nothing is sent in this time; it is sent when the time is over. `none` turns it off.' }),
    daily_cap: optional(z.union([z.int().min(1).max(1_000_000), none])).meta({
      description:
        'At most so many deliveries on one day of your time zone; the rest waits for the next. `none` turns it off.',
    }),
    warm_up: optional(z.boolean()).meta({
      description:
        '`true`: the number is new to groups, and sends 30 deliveries on its first day and more on each of two weeks. One that is under way goes on as it is. `false` ends it.',
    }),
  })
  .meta({ id: 'UpdateAccount', description: 'What is left out or null stays as it is.' });

export const updateAccountData = z.object({
  quiet_hours: quietHours.nullable(),
  daily_cap: z.number().int().nullable(),
  time_zone: z.string().meta({ description: 'Your own, else the installation’s; `update_profile` changes it.' }),
  warm_up: z
    .object({
      day: z
        .number()
        .int()
        .meta({ description: 'Which day of it today is, from 1.', examples: [3] }),
      daily_caps: z.array(z.number().int()).meta({
        description: 'At most so many deliveries on each of its days. The smaller of this and `daily_cap` counts.',
      }),
      ends_on: z.string().meta({ format: 'date', description: 'The first day without this limit.' }),
    })
    .optional()
    .meta({ description: 'Only while one is under way.' }),
  sent_today: z.number().int().nullable().meta({ description: 'Counted only where there is a cap or a warm-up.' }),
  rests_until: z.string().meta({ format: 'date-time' }).nullable().meta({ description: 'null: it may send now.' }),
});
