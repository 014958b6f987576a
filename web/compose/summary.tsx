import { fileSize } from '../format/numbers.ts';
import { Receipt } from '../parts/receipt.tsx';
import { ReceiptPost } from '../whatsapp/receipt-post.tsx';
import { useSendersLine } from '../senders/use-senders-line.ts';
import { useNow } from '../parts/relative-time.tsx';
import { useObjectUrl } from '../whatsapp/use-object-url.ts';
import { waitText } from '../format/wait-text.ts';
import { useZone } from '../format/zone-context.tsx';
import { isBrowserPicture, mediaName } from '../format/media-name.ts';
import { t } from '../i18n/translate.ts';
import { groupIssues, groupIssueText, warningsOf } from './checks.tsx';
import type { Draft } from './draft.ts';
import { useAudienceFigures, useListsText } from './audience.ts';
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
  wait,
  leaves = t('compose.cannotUndo'),
}: {
  draft: Draft;
  name: string;
  file: File | null;
  preview: Preview;
  check: Check;
  /** Why nothing leaves at once. Undefined: it does, or nobody has asked. */
  wait?: Check['wait'];
  /** When a post without a schedule leaves; null: it has. */
  leaves?: string | null;
}) {
  const nowMs = useNow();
  const zone = useZone();
  const { groups } = draft;
  const figures = useAudienceFigures(groups);
  const senders = useSendersLine(groups);
  const lists = useListsText(draft);
  const when = draft.isScheduled
    ? [describeSchedule(draft), ...(check.runs ? describeRuns(draft, check.runs, check.runsContinue) : [])]
    : [wait ? waitText(wait, zone) : leaves].filter((line) => line !== null);
  // What is sent in spite of quiet hours is done long before what was expected.
  const takes = check.wait && !wait ? [] : describeDuration(draft, check, nowMs);
  // A picture is shown, and members see no name of it.
  const isPicture = file !== null && isBrowserPicture(file.type);
  const notes = [
    ...(file && !isPicture ? [t('compose.withFile', { name: file.name, size: fileSize(file.size) })] : []),
    ...(draft.files.length > 0 ? [t('compose.withFiles', { files: draft.files.length })] : []),
  ];
  return (
    <Receipt
      warnings={warningTexts({ preview, check, hasFile: file !== null || draft.files.length > 0 })}
      figures={figures}
      lines={[...[lists, senders].filter((line) => line !== undefined), ...when, ...takes]}
    >
      <ReceiptPost
        name={name}
        text={preview.text}
        notes={notes}
        {...(file && isPicture && { picture: <Picture file={file} /> })}
      />
    </Receipt>
  );
}

/** The warnings of a check in words, those about groups first. */
export function warningTexts({
  preview,
  check,
  hasFile,
}: {
  preview: Preview;
  check: Check;
  hasFile: boolean;
}): string[] {
  return [
    ...[...groupIssues(check)].map(([code, ids]) => groupIssueText(code, ids.length)),
    ...warningsOf({ preview, check, hasFile }).map(({ text }) => text),
  ];
}

function Picture({ file }: { file: File }) {
  const show = useObjectUrl(file);
  return <img ref={show} alt={mediaName(file.type)} className={classes.picture} />;
}
