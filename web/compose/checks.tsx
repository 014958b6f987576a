import { Button, Text } from '@mantine/core';
import type { Data } from '../api/operations.ts';
import { count } from '../format/numbers.ts';
import { problemText } from '../format/problem.ts';
import { Icon } from '../parts/icons.tsx';
import { words } from '../words/words.ts';
import type { Draft, PickedGroup } from './draft.ts';
import type { Check } from './use-check.ts';

type Preview = Data<'venom/preview-campaign'>;
/** A warning that matters only together with a file. */
const OF_CAPTIONS = 'caption_too_long';
const NAMED = 5;
const NOBODY: readonly PickedGroup[] = [];

/** What has to be put right before the draft can be sent, in the order of the page. */
export function findProblems(
  draft: Draft,
  { preview, error, isSettled }: { preview: Preview; error: unknown; isSettled: boolean },
): string[] {
  const problems: string[] = [];
  if (error) problems.push(problemText(error));
  else if (draft.html === '' || (isSettled && preview.length === 0)) problems.push(words.compose.problems.noText);
  if (draft.groups.length === 0) problems.push(words.compose.problems.noGroups);
  if (draft.isScheduled) {
    if (draft.startDate === null) problems.push(words.compose.problems.noDays);
    if (!/^\d\d:\d\d/.test(draft.time)) problems.push(words.compose.problems.noTime);
    if (draft.weekdays.length === 0) problems.push(words.compose.problems.noWeekdays);
  }
  return problems;
}

/** By what is wrong with them: ids of groups, in the order of the groups. */
export function groupIssues({ problems }: Check): Map<string, number[]> {
  const byIssue = new Map<string, number[]>();
  for (const { group_metadata_id: id, issue } of problems) byIssue.set(issue, [...(byIssue.get(issue) ?? []), id]);
  return byIssue;
}

/**
 * What is still missing, what stands in the way, and what the author will want to know. What is missing is an alarm only once they
 * have tried to go on without it.
 */
export function Checks({
  problems,
  isTried = false,
  preview,
  hasFile,
  check,
  picked = NOBODY,
  onLeaveOut,
}: {
  problems: readonly string[];
  isTried?: boolean;
  preview: Preview;
  hasFile: boolean;
  check: Check;
  /** Names the groups that something is wrong with. */
  picked?: readonly PickedGroup[];
  /** Takes groups out of what is picked, by their ids. */
  onLeaveOut?: (groupIds: readonly number[]) => void;
}) {
  const heard = new Map([...preview.warnings, ...check.warnings].map((warning) => [warning.code, warning]));
  const warnings = [...heard.values()].filter(({ code }) => hasFile || code !== OF_CAPTIONS);
  const issues = [...groupIssues(check)];
  const names = new Map(picked.map((group) => [group.group_metadata_id, group.group_name]));
  const isClear = problems.length === 0 && !check.error && warnings.length === 0 && issues.length === 0;
  return (
    <div aria-live="polite">
      {problems.length > 0 && !isTried && (
        <Text size="sm" fw={550} mb={6}>
          {words.compose.missing}
        </Text>
      )}
      {isClear && (
        <Text size="sm" c="dimmed">
          {check.isSettled ? words.compose.nothingWrong : words.compose.checking}
        </Text>
      )}
      <ul className="checks">
        {problems.map((problem) => (
          <li key={problem} className={isTried ? 'check-problem' : 'check-missing'}>
            <Icon name={isTried ? 'alert' : 'circle'} size={16} /> {problem}
          </li>
        ))}
        {check.error !== null && check.error !== undefined && (
          <li className="check-problem">
            <Icon name="alert" size={16} /> {problemText(check.error)}
          </li>
        )}
        {issues.map(([issue, ids]) => (
          <li key={issue}>
            <Icon name="alert" size={16} />
            <div className="grow">
              {words.compose.issue(ids.length, count(ids.length), issue)}
              <Text size="xs" c="dimmed">
                {named(ids.flatMap((id) => names.get(id) ?? []))}
              </Text>
            </div>
            {onLeaveOut && (
              <Button size="compact-sm" variant="default" onClick={() => onLeaveOut(ids)}>
                {words.compose.leaveOut(ids.length)}
              </Button>
            )}
          </li>
        ))}
        {warnings.map(({ code, message }) => (
          <li key={code}>
            <Icon name="alert" size={16} /> {Reflect.get(words.warnings, code) ?? message}
          </li>
        ))}
      </ul>
    </div>
  );
}

function named(names: readonly string[]): string {
  return words.compose.issueNames(names.slice(0, NAMED), Math.max(0, names.length - NAMED));
}
