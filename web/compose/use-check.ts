import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { call } from '../api/call.ts';
import type { Data } from '../api/operations.ts';
import type { Draft } from './draft.ts';
import { toCampaignBody } from './send-draft.ts';

type Checked = Data<'venom/check-campaign'>;

/** What the service says would happen to a draft; undefined while it cannot say. */
export interface Check {
  /** Only of a schedule. */
  runs: Checked['runs'] | undefined;
  /** Groups that could not be posted to, with why. */
  problems: Checked['groups']['problems'];
  warnings: Checked['warnings'];
  expectedSeconds: number | undefined;
  error: unknown;
  /** What it says is of this very draft. */
  isSettled: boolean;
}

const WAIT_MS = 400;
const NAMELESS = '-';

/**
 * Asks what would happen to the draft, a moment after its last change, without its file, which changes nothing about it. `changed`:
 * the campaign that it is a change of, and which of its dates are left out.
 */
export function useCheck(
  draft: Draft,
  name: string,
  changed: { campaign_id?: string; skip_dates?: string[] } = {},
): Check {
  const [settled] = useDebouncedValue(draft, WAIT_MS);
  const canSay = settled.html !== '' && settled.groups.length > 0 && (!settled.isScheduled || isComplete(settled));
  const check = useQuery({
    queryKey: ['check', settled.idempotencyKey],
    queryFn: ({ signal }) =>
      call('venom/check-campaign', { ...toCampaignBody(settled, name || NAMELESS), ...changed }, { signal }),
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
