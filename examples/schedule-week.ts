/**
 * Schedules a post for the coming week at a time of day, weekends left out, and prints when it will go out.
 *
 *   node_modules/.bin/node examples/schedule-week.ts 09:00:00 Europe/London '<p>Good morning</p>'
 *
 * With `cancel` as the last word it thinks better of it. BASE, USER_NAME and PASSWORD: see sign-in.ts.
 */
import { CampanileError } from '../clients/typescript/failure.ts';
import { signIn } from './sign-in.ts';

const [schedule_time = '09:00:00', time_zone = 'UTC', html = '<p>Good morning</p>', then] = process.argv.slice(2);
const campanile = await signIn();
const { groups } = await campanile.call('venom/list-groups');

const today = Temporal.Now.plainDateISO(time_zone);
const body = {
  name: 'Good morning',
  html,
  group_metadata_ids: groups.map((group) => group.group_metadata_id),
  is_schedule: true as const,
  start_date: today.add({ days: 1 }).toString(),
  end_date: today.add({ days: 7 }).toString(),
  schedule_time,
  time_zone,
  weekdays: [1, 2, 3, 4, 5],
};

try {
  const { headers } = await campanile.ask('venom/add-campaign-batch', body);
  const campaign_id = headers.get('x-campaign-id') ?? '';
  const { runs } = await campanile.call('venom/get-campaign', { campaign_id });
  for (const { due_at } of runs) {
    const due = Temporal.Instant.from(due_at).toZonedDateTimeISO(time_zone);
    console.log(`${due.toPlainDate()} ${due.toPlainTime()} to ${groups.length} groups`);
  }
  if (then === 'cancel') console.log((await campanile.call('venom/cancel-campaign', { campaign_id })).status);
} catch (error) {
  if (!(error instanceof CampanileError)) throw error;
  console.log(`${error.message} (${error.status})`);
  for (const { field, issue } of error.details) console.log(`  ${field} ${issue}`);
  process.exitCode = 1;
}
