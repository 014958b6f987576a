import { Button, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { listNames } from '../format/list-names.ts';
import { localisedText } from '../format/warning-text.ts';
import { problemText } from '../format/problem.ts';
import { Icon, type IconName } from '../parts/icons.tsx';
import textClasses from '../parts/text.module.css';
import { findText, t } from '../i18n/translate.ts';
import classes from './checks.module.css';
import { ballotProblems, isBallot } from './ballot.ts';
import type { Draft, PickedGroup } from './draft.ts';
import { languageName } from './languages.ts';
import type { Check } from './use-check.ts';
import type { Preview } from './use-preview.ts';

/** This warning matters only with a file attached. */
const CAPTION_WARNING = 'caption_too_long';
const NAMED = 5;
/** The issue of groups without a value for a field of the post. */
export const NO_VALUE = 'no_value';

/** Returns the problems that prevent sending, in the order of the page. */
export function validateDraft(
  draft: Draft,
  hasFile: boolean,
  { preview, error, isSettled }: { preview: Preview; error: unknown; isSettled: boolean },
): string[] {
  const problems: string[] = [];
  const isEmpty = draft.html === '' || (isSettled && preview.length === 0);
  if (error) problems.push(problemText(error));
  else if (isBallot(draft)) problems.push(...ballotProblems(draft));
  else if (isEmpty && !hasFile) problems.push(t('compose.problems.noText'));
  if (!isBallot(draft))
    for (const { language, html } of draft.translations)
      if (html === '') problems.push(t('compose.problems.noTranslation', { language: languageName(language) }));
  if (draft.groups.length + draft.groupListIds.length === 0) problems.push(t('compose.problems.noGroups'));
  if (draft.isScheduled) {
    if (draft.startDate === null) problems.push(t('compose.problems.noDays'));
    if (!/^\d\d:\d\d/.test(draft.time)) problems.push(t('compose.problems.noTime'));
    if (draft.weekdays.length === 0) problems.push(t('compose.problems.noWeekdays'));
  }
  return problems;
}

/** A post for groups without a value is not sent, unless they are left out. */
export function lackingValues({ withFields, leavesOut }: Draft, check: Check): string[] {
  const groups = groupIssues(check).get(NO_VALUE)?.length ?? 0;
  return !withFields || leavesOut || groups === 0 ? [] : [t('compose.problems.noValue', { groups })];
}

/** Returns the warnings, each once. */
export function warningsOf({ preview, check, hasFile }: { preview: Preview; check: Check; hasFile: boolean }) {
  const keyOf = ({ code, params }: (typeof check.warnings)[number]) =>
    `${code} ${params?.['account'] ?? ''} ${params?.['language'] ?? ''}`;
  const heard = new Map([...preview.warnings, ...check.warnings].map((warning) => [keyOf(warning), warning]));
  return [...heard.values()]
    .filter(({ code }) => hasFile || code !== CAPTION_WARNING)
    .map((warning) => ({ code: keyOf(warning), text: textOf(warning) }));
}

/** In words, with the language of the text that it is about. */
function textOf(warning: Check['warnings'][number]): string {
  const { language, languages } = warning.params ?? {};
  const named = (tags: string) => ({ languages: tags.split(', ').map(languageName).join(', ') });
  const text = localisedText(languages === undefined ? warning : { ...warning, params: named(String(languages)) });
  return language === undefined ? text : `${languageName(String(language))}: ${text}`;
}

/** Groups the ids by the code of their issue, in the order of the groups. */
export function groupIssues({ problems }: Check): Map<string, number[]> {
  const byCode = new Map<string, number[]>();
  for (const { group_metadata_id: id, code } of problems) byCode.set(code, [...(byCode.get(code) ?? []), id]);
  return byCode;
}

/** What is wrong with some groups. */
export function groupIssueText(code: string, groups: number): string {
  return findText(`groupIssues.${code}`, { groups }) ?? t('issues.other');
}

/**
 * Shows missing parts, problems and warnings of a post. A missing part is an error only after the author has tried to continue without
 * it.
 */
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
          {t('compose.missing')}
        </Text>
      )}
      {isClear && (
        <Text size="sm" c="dimmed">
          {check.isSettled ? t('compose.nothingWrong') : t('compose.checking')}
        </Text>
      )}
      <ul className={classes.checks}>
        {problems.map((problem) => (
          <Line
            key={problem}
            icon={isSubmitted ? 'alert' : 'circle'}
            className={isSubmitted ? textClasses.failed : textClasses.dim}
          >
            {problem}
          </Line>
        ))}
        {check.error !== null && check.error !== undefined && (
          <Line className={textClasses.failed}>{problemText(check.error)}</Line>
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

function Line({
  icon = 'alert',
  className,
  children,
}: {
  icon?: IconName;
  className?: string | undefined;
  children: ReactNode;
}) {
  return (
    <li className={className}>
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
      <div className={classes.issue}>
        <div>
          {groupIssueText(issue, ids.length)}
          <Text size="xs" c="dimmed">
            {listNames(
              ids.flatMap((id) => names.get(id) ?? []),
              NAMED,
            )}
          </Text>
        </div>
        <Button size="compact-sm" variant="default" onClick={() => onLeaveOut(ids)}>
          {t('compose.leaveOut', { count: ids.length })}
        </Button>
      </div>
    </Line>
  );
}
