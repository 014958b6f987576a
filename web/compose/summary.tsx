import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
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

/** The consequences of sending the draft; warnings come first. */
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
    ...warningsOf({ preview, check, hasFile: file !== null }).map(({ text }) => text),
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
      <div className={classes.post}>
        {file?.type.startsWith('image/') && <Picture file={file} />}
        <div className={classes.text}>
          <Text fw={600} className={textClasses.breakable}>
            {name}
          </Text>
          {file && (
            <Text size="xs" c="dimmed" className={textClasses.breakable}>
              {t('compose.withFile', { name: file.name, size: fileSize(file.size) })}
            </Text>
          )}
        </div>
      </div>
      <dl className={classes.list}>
        <Row name={t('compose.summary.to')}>
          {t('compose.reaches', { groups: groups.length, members: membersOf(groups) })}
        </Row>
        <Row name={t('compose.summary.when')}>
          {when.map((line) => (
            <div key={line}>{line}</div>
          ))}
        </Row>
        <Row name={t('compose.summary.takes')}>{describeDuration(draft, check, nowMs)[0] ?? t('common.unknown')}</Row>
      </dl>
    </div>
  );
}

function Row({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}

function Picture({ file }: { file: File }) {
  const show = useObjectUrl(file);
  return <img ref={show} alt={mediaName(file.type)} className={classes.picture} />;
}
