import { Text } from '@mantine/core';
import type { Data } from '../api/operations.ts';
import { problemText } from '../format/problem.ts';
import { Icon } from '../parts/icons.tsx';
import { words } from '../words/words.ts';
import type { Draft } from './draft.ts';
import type { Check } from './use-check.ts';

type Preview = Data<'venom/preview-campaign'>;
/** A warning that matters only together with a file. */
const OF_CAPTIONS = 'caption_too_long';

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

/** What stands in the way, and what the author will want to know. */
export function Checks({
  problems,
  preview,
  hasFile,
  check,
}: {
  problems: readonly string[];
  preview: Preview;
  hasFile: boolean;
  check: Check;
}) {
  const warnings = preview.warnings.filter(({ code }) => hasFile || code !== OF_CAPTIONS);
  const inTheWay = check.error ? [...problems, problemText(check.error)] : problems;
  if (inTheWay.length === 0 && warnings.length === 0 && check.problems.length === 0)
    return (
      <Text size="sm" c="dimmed">
        {words.compose.nothingWrong}
      </Text>
    );
  return (
    <ul className="checks" aria-live="polite">
      {inTheWay.map((problem) => (
        <li key={problem} className="check-problem">
          <Icon name="alert" size={16} /> {problem}
        </li>
      ))}
      {check.problems.length > 0 && (
        <li>
          <Icon name="alert" size={16} />{' '}
          {words.compose.skipped(check.problems.length, [...new Set(check.problems.map(({ issue }) => issue))])}
        </li>
      )}
      {warnings.map(({ code, message }) => (
        <li key={code}>
          <Icon name="alert" size={16} /> {Reflect.get(words.warnings, code) ?? message}
        </li>
      ))}
    </ul>
  );
}
