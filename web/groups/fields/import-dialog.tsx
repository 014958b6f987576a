import { List, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { call } from '../../api/call.ts';
import { issueText } from '../../format/issue-text.ts';
import { t } from '../../i18n/translate.ts';
import { showToast } from '../../parts/notify.ts';
import { readBase64 } from '../../parts/read-base64.ts';
import { SheetDialog } from '../../parts/sheet-dialog.tsx';
import type { ImportReport } from './field-queries.ts';

const LISTED_AT_MOST = 50;

/** Imports values of groups from a sheet. */
export function ImportDialog({ close, onImported }: { close: () => void; onImported: () => Promise<unknown> }) {
  const trying = useMutation({
    mutationFn: async (file: File) => {
      const base64 = await readBase64(file);
      return { base64, report: await call('venom/import-group-fields', { file: base64, dry_run: true }) };
    },
  });
  const importing = useMutation({
    mutationFn: (file: string) => call('venom/import-group-fields', { file, skip_refused: true }),
    onSuccess: async ({ added, changed, cleared }) => {
      await onImported();
      showToast(t('groupFields.imported', { values: added + changed + cleared }));
      close();
    },
  });
  const { data } = trying;
  const values = data ? data.report.added + data.report.changed + data.report.cleared : 0;
  return (
    <SheetDialog
      title={t('groupFields.import')}
      hint={t('groupFields.importHint')}
      size="lg"
      {...{ close, trying, importing }}
      choose={trying.mutate}
      confirm={
        data && {
          label: t('groupFields.importValues', { values }),
          isEmpty: values === 0,
          act: () => importing.mutate(data.base64),
        }
      }
    >
      {data && <Changes report={data.report} />}
    </SheetDialog>
  );
}

function Changes({ report }: { report: ImportReport }) {
  const { added, changed, cleared, unchanged, changes, ignored_columns: ignored } = report;
  const left = [
    ...report.refused.map(({ row, column, ...issue }) => ({ row, column, reason: issueText(issue) })),
    ...report.unknown.map(({ row, text }) => ({ row, column: text, reason: t('issues.sheet_unknown_group') })),
    ...report.ambiguous.map(({ row, text }) => ({ row, column: text, reason: t('issues.sheet_ambiguous_group') })),
  ].toSorted((one, other) => one.row - other.row);
  return (
    <div role="status">
      <Text size="sm" fw={550}>
        {t('groupFields.dryRun', { added, changed, cleared, unchanged })}
      </Text>
      {left.length > 0 && (
        <>
          <Text size="sm" fw={550} mt="xs">
            {t('groupFields.leftOut', { rows: left.length })}
          </Text>
          <List size="sm" mah={180} style={{ overflowY: 'auto' }} tabIndex={0}>
            {left.slice(0, LISTED_AT_MOST).map(({ row, column, reason }, index) => (
              <List.Item key={index}>{t('groupFields.leftRow', { row, what: column ?? '–', reason })}</List.Item>
            ))}
          </List>
        </>
      )}
      {ignored.length > 0 && (
        <Text size="sm" mt="xs">
          {t('groupFields.ignored', { columns: ignored.join(', ') })}
        </Text>
      )}
      {changes.length > 0 && (
        <List size="sm" mt="xs" mah={180} style={{ overflowY: 'auto' }} tabIndex={0} c="dimmed">
          {changes.slice(0, LISTED_AT_MOST).map(({ group_metadata_id: id, group_name: name, field, before, after }) => (
            <List.Item key={`${id}:${field}`}>
              {`${name}, ${field}:`} {before !== null && <del>{before}</del>} {after ?? '–'}
            </List.Item>
          ))}
        </List>
      )}
    </div>
  );
}
