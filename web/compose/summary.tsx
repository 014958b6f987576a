import { Text } from '@mantine/core';
import { fileSize } from '../format/numbers.ts';
import { Icon } from '../parts/icons.tsx';
import { useNow } from '../parts/relative-time.tsx';
import textClasses from '../parts/text.module.css';
import { useObjectUrl } from '../whatsapp/use-object-url.ts';
import { mediaName } from '../format/media-name.ts';
import { t } from '../i18n/translate.ts';
import { groupIssues, groupIssueText, warningsOf } from './checks.tsx';
import type { Draft } from './draft.ts';
import { membersOf } from './audience.ts';
import { describeDuration, describeRuns, describeSchedule } from './send-times.tsx';
import classes from './summary.module.css';
import type { Check } from './use-check.ts';
import type { Preview } from './use-preview.ts';

/** A receipt before sending: warnings, how many are reached, when, and the post. */
export function Summary({
  draft,
  name,
  file,
  preview,
  check,
}: {
  draft: Draft;
  name: string;
  file: File | null;
  preview: Preview;
  check: Check;
}) {
  const nowMs = useNow();
  const { groups } = draft;
  const warnings = [
    ...[...groupIssues(check)].map(([code, ids]) => groupIssueText(code, ids.length)),
    ...warningsOf({ preview, check, hasFile: file !== null || draft.files.length > 0 }).map(({ text }) => text),
  ];
  const when = draft.isScheduled
    ? [describeSchedule(draft), ...(check.runs ? describeRuns(draft, check.runs) : [])]
    : [t('compose.cannotUndo')];
  return (
    <div>
      {warnings.length > 0 && (
        <ul className={classes.warnings}>
          {warnings.map((warning) => (
            <li key={warning}>
              <Icon name="alert" size={16} /> <span>{warning}</span>
            </li>
          ))}
        </ul>
      )}
      <p className={classes.figures}>
        <span>{t('agenda.groups', { groups: groups.length })}</span>
        <span>{t('compose.summary.members', { members: membersOf(groups) })}</span>
      </p>
      {[...when, ...describeDuration(draft, check, nowMs)].map((line) => (
        <Text size="sm" key={line}>
          {line}
        </Text>
      ))}
      <div className={classes.post}>
        {file?.type.startsWith('image/') && <Picture file={file} />}
        <div className={classes.text}>
          <Text fw={600} size="sm" className={textClasses.breakable}>
            {name}
          </Text>
          {preview.text !== '' && (
            <Text size="sm" lineClamp={3} dir="auto" className={textClasses.breakable}>
              {preview.text}
            </Text>
          )}
          {file && (
            <Text size="xs" c="dimmed" className={textClasses.breakable}>
              {t('compose.withFile', { name: file.name, size: fileSize(file.size) })}
            </Text>
          )}
          {draft.files.length > 0 && (
            <Text size="xs" c="dimmed">
              {t('compose.withFiles', { files: draft.files.length })}
            </Text>
          )}
        </div>
      </div>
    </div>
  );
}

function Picture({ file }: { file: File }) {
  const show = useObjectUrl(file);
  return <img ref={show} alt={mediaName(file.type)} className={classes.picture} />;
}
