import { Button, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { count } from '../format/numbers.ts';
import { problemText } from '../format/problem.ts';
import boxClasses from '../parts/box.module.css';
import { Icon, type IconName } from '../parts/icons.tsx';
import textClasses from '../parts/text.module.css';
import { words } from '../words/words.ts';
import classes from './checks.module.css';
import type { Draft, PickedGroup } from './draft.ts';
import type { Check } from './use-check.ts';
import type { Preview } from './use-preview.ts';

/** This warning matters only with a file attached. */
const CAPTION_WARNING = 'caption_too_long';
const NAMED = 5;

/** Returns the problems that prevent sending, in the order of the page. */
export function validateDraft(
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

/** Returns the warnings, each once. */
export function warningsOf({ preview, check, hasFile }: { preview: Preview; check: Check; hasFile: boolean }) {
  const heard = new Map([...preview.warnings, ...check.warnings].map((warning) => [warning.code, warning]));
  return [...heard.values()]
    .filter(({ code }) => hasFile || code !== CAPTION_WARNING)
    .map(({ code, message }) => ({ code, text: words.warnings[code] ?? message }));
}

/** Groups the ids by issue, in the order of the groups. */
export function groupIssues({ problems }: Check): Map<string, number[]> {
  const byIssue = new Map<string, number[]>();
  for (const { group_metadata_id: id, issue } of problems) byIssue.set(issue, [...(byIssue.get(issue) ?? []), id]);
  return byIssue;
}

/** Missing fields, problems and warnings. Missing fields become errors only after a submit. */
export function Checks({
  problems,
  isSubmitted,
  preview,
  hasFile,
  check,
  picked,
  onLeaveOut,
}: {
  problems: readonly string[];
  isSubmitted: boolean;
  preview: Preview;
  hasFile: boolean;
  check: Check;
  /** Provides the names of the groups with problems. */
  picked: readonly PickedGroup[];
  /** Removes groups from the selection, by their ids. */
  onLeaveOut: (groupIds: readonly number[]) => void;
}) {
  const warnings = warningsOf({ preview, check, hasFile });
  const isClear = [problems, warnings, check.problems].every((found) => found.length === 0) && !check.error;
  return (
    <div aria-live="polite">
      {problems.length > 0 && !isSubmitted && (
        <Text size="sm" fw={550} mb={6}>
          {words.compose.missing}
        </Text>
      )}
      {isClear && (
        <Text size="sm" c="dimmed">
          {check.isSettled ? words.compose.nothingWrong : words.compose.checking}
        </Text>
      )}
      <ul className={classes.checks}>
        {problems.map((problem) => (
          <Line
            key={problem}
            icon={isSubmitted ? 'alert' : 'circle'}
            look={isSubmitted ? textClasses.failed : textClasses.dim}
          >
            {problem}
          </Line>
        ))}
        {check.error !== null && check.error !== undefined && (
          <Line look={textClasses.failed}>{problemText(check.error)}</Line>
        )}
        {[...groupIssues(check)].map(([issue, ids]) => (
          <Issue key={issue} issue={issue} ids={ids} picked={picked} onLeaveOut={onLeaveOut} />
        ))}
        {warnings.map(({ code, text }) => (
          <Line key={code}>{text}</Line>
        ))}
      </ul>
    </div>
  );
}

function Line({ icon = 'alert', look, children }: { icon?: IconName; look?: string | undefined; children: ReactNode }) {
  return (
    <li className={look}>
      <Icon name={icon} size={16} /> {children}
    </li>
  );
}

/** An issue with the names of its groups, and a button that removes them. */
function Issue({
  issue,
  ids,
  picked,
  onLeaveOut,
}: {
  issue: string;
  ids: readonly number[];
  picked: readonly PickedGroup[];
  onLeaveOut: (groupIds: readonly number[]) => void;
}) {
  const names = new Map(picked.map((group) => [group.group_metadata_id, group.group_name]));
  return (
    <Line>
      <div className={boxClasses.grow}>
        {words.compose.issue(ids.length, count(ids.length), issue)}
        <Text size="xs" c="dimmed">
          {named(ids.flatMap((id) => names.get(id) ?? []))}
        </Text>
      </div>
      <Button size="compact-sm" variant="default" onClick={() => onLeaveOut(ids)}>
        {words.compose.leaveOut(ids.length)}
      </Button>
    </Line>
  );
}

function named(names: readonly string[]): string {
  return words.compose.issueNames(names.slice(0, NAMED), Math.max(0, names.length - NAMED));
}
