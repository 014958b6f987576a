import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { call } from '../api/call.ts';
import type { Data } from '../api/operations.ts';
import { ballotProblems, isBallot } from './ballot.ts';
import type { Draft } from './draft.ts';
import { toCampaignBody } from './send-draft.ts';

type Checked = Data<'venom/check-campaign'>;

/** The result of a dry run of the draft; fields are undefined until it is known. */
export interface Check {
  /** Only of a schedule. */
  runs: Checked['runs'] | undefined;
  /** Groups that cannot be posted to, with the reason. */
  problems: Checked['groups']['problems'];
  warnings: Checked['warnings'];
  expectedSeconds: number | undefined;
  error: unknown;
  /** Whether the result is of the current draft. */
  isSettled: boolean;
}

const WAIT_MS = 400;
const NAMELESS = '-';

/**
 * Dry run: asks the service for the consequences of the draft a moment after its last change. The file itself changes nothing and is left out.
 * `changed`: the campaign that is edited, and its skipped dates.
 */
export function useCheck(
  draft: Draft,
  name: string,
  hasFile: boolean,
  changed: { campaign_id?: string; skip_dates?: string[] } = {},
): Check {
  const [settled] = useDebouncedValue(draft, WAIT_MS);
  const isWritten = isBallot(settled) ? ballotProblems(settled).length === 0 : settled.html !== '' || hasFile;
  const canSay = isWritten && settled.groups.length > 0 && (!settled.isScheduled || isComplete(settled));
  const shared = { ...changed, with_file: hasFile };
  const check = useQuery({
    queryKey: ['check', settled.idempotencyKey, hasFile],
    queryFn: ({ signal }) =>
      call('venom/check-campaign', { ...toCampaignBody(settled, name || NAMELESS), ...shared }, { signal }),
    enabled: canSay,
    placeholderData: keepPreviousData,
    gcTime: 60_000,
  });
  const checked = canSay ? check.data : undefined;
  return {
    runs: settled.isScheduled ? checked?.runs : undefined,
    problems: checked?.groups.problems ?? [],
    warnings: checked?.warnings ?? [],
    expectedSeconds: checked?.expected_seconds,
    error: canSay ? check.error : null,
    isSettled: settled === draft && !check.isFetching,
  };
}

function isComplete({ startDate, time, weekdays }: Draft): boolean {
  return startDate !== null && /^\d\d:\d\d/.test(time) && weekdays.length > 0;
}
