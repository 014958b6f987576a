import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { call } from '../api/call.ts';
import type { Data } from '../api/operations.ts';
import { ballotProblems, isBallot } from './ballot.ts';
import type { Draft } from './draft.ts';
import { toCampaignBody } from './campaign-body.ts';

type Checked = Data<'venom/check-campaign'>;

/** The result of a dry run of the draft; fields are undefined until it is known. */
export interface Check {
  /** Only of a schedule. */
  runs: Checked['runs'] | undefined;
  /** More runs follow these. */
  runsContinue: boolean;
  /** Groups that cannot be posted to, with the reason. */
  problems: Checked['groups']['problems'];
  warnings: Checked['warnings'];
  expectedSeconds: number | undefined;
  /** Why nothing would leave if the draft was sent now. Undefined: it would, or the draft has a schedule. */
  wait: Checked['waits_for'];
  error: unknown;
  /** Whether the result is of the current draft. */
  isSettled: boolean;
  /** Whether the runs of the current schedule are still to come. */
  isPending: boolean;
}

const WAIT_MS = 400;
const NAMELESS = '-';

/**
 * Dry run: asks the service for the consequences of the draft a moment after its last change. The file itself changes nothing and is left out.
 * `changed`: the campaign that is edited.
 */
export function useCheck(
  draft: Draft,
  name: string,
  hasFile: boolean,
  { isEnabled = true, ...changed }: { campaign_id?: string; isEnabled?: boolean } = {},
): Check {
  const [settled] = useDebouncedValue(draft, WAIT_MS);
  const isWritten = isBallot(settled)
    ? ballotProblems(settled).length === 0
    : (settled.html !== '' || hasFile) && settled.translations.every(({ html }) => html !== '');
  const canSay =
    isEnabled &&
    isWritten &&
    settled.groups.length + settled.groupListIds.length > 0 &&
    (!settled.isScheduled || isComplete(settled));
  const shared = { ...changed, with_file: hasFile };
  const check = useQuery({
    queryKey: ['check', settled.idempotencyKey, hasFile],
    queryFn: async ({ signal }) => {
      const body = toCampaignBody(settled, name || NAMELESS);
      return {
        ...(await call('venom/check-campaign', { ...body, ...shared }, { signal })),
        schedule: scheduleKey(settled),
      };
    },
    enabled: canSay,
    placeholderData: keepPreviousData,
    gcTime: 60_000,
  });
  const checked = canSay ? check.data : undefined;
  // A result of other days would contradict the fields above it, even for a moment.
  const isOfSchedule = checked?.schedule === scheduleKey(draft);
  return {
    runs: settled.isScheduled && isOfSchedule ? checked?.runs : undefined,
    runsContinue: isOfSchedule && checked?.runs_continue === true,
    isPending: canSay && !isOfSchedule && check.error === null,
    problems: checked?.groups.problems ?? [],
    warnings: checked?.warnings ?? [],
    expectedSeconds: isOfSchedule ? checked?.expected_seconds : undefined,
    wait: draft.isScheduled ? undefined : checked?.waits_for,
    error: canSay ? check.error : null,
    isSettled: settled === draft && !check.isFetching,
  };
}

/** Equal for drafts with the same runs. */
function scheduleKey(draft: Draft): string {
  const { isScheduled, startDate, endDate, time, timeZone, weekdays, skipDates, recurrence } = draft;
  return JSON.stringify(isScheduled && [startDate, endDate, time, timeZone, weekdays, skipDates, recurrence]);
}

/** Whether the service can read the schedule. */
export function isComplete({ startDate, time, weekdays, recurrence }: Draft): boolean {
  return startDate !== null && /^\d\d:\d\d/.test(time) && weekdays.length > 0 && recurrence !== '';
}
