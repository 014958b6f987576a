import { Checkbox, List, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../api/call.ts';
import type { Body, Data } from '../api/operations.ts';
import { issueText } from '../format/issue-text.ts';
import { useZone } from '../format/zone-context.tsx';
import { DataTable } from '../parts/data-table.tsx';
import { showToast } from '../parts/notify.ts';
import { readBase64 } from '../parts/read-base64.ts';
import { SheetDialog } from '../parts/sheet-dialog.tsx';
import textClasses from '../parts/text.module.css';
import { findMessage, findText, locale, t } from '../i18n/translate.ts';

type Imported = Data<'venom/import-plan'>;
type Row = Imported['rows'][number];
type Asked = Omit<Body<'venom/import-plan'>, 'from_row'>;
type DateFormat = NonNullable<Asked['date_format']>;

const DATE_FORMATS: readonly DateFormat[] = ['DD/MM/YYYY', 'MM/DD/YYYY'];
/** What needs a look comes first. */
const STATES = ['refused', 'gone', 'changed', 'new', 'missed', 'cancelled', 'sent', 'unchanged'] as const;
const LISTED_AT_MOST = 200;

/** Plans a campaign for each row of a sheet. */
export default function ImportSheetDialog({ close }: { close: () => void }) {
  const [plan, setPlan] = useState('');
  const [dateFormat, setDateFormat] = useState<DateFormat>();
  const [removesGone, setRemovesGone] = useState(false);
  const { trying, importing } = useImport(plan.trim(), removesGone, close);
  const { data } = trying;
  const counts = data?.report.counts ?? {};
  const rows = changedBy(counts, removesGone);
  const { gone = 0 } = counts;
  return (
    <SheetDialog
      title={t('calendar.import')}
      hint={t('calendar.importHint')}
      size="xl"
      {...{ close, trying, importing }}
      choose={(file) => trying.mutate({ file, format: dateFormat })}
      isReady={plan.trim() !== ''}
      confirm={
        data && {
          label: t('calendar.importRows', { rows }),
          isEmpty: rows === 0,
          act: () => importing.mutate(data.asked),
        }
      }
    >
      <TextInput
        label={t('calendar.sheetName')}
        description={t('calendar.sheetNameHint')}
        value={plan}
        maxLength={100}
        data-autofocus
        onChange={({ currentTarget }) => {
          setPlan(currentTarget.value);
          trying.reset();
        }}
      />
      <DateFormats
        value={dateFormat}
        onChange={(format) => {
          setDateFormat(format);
          if (data) trying.mutate({ file: data.file, format });
        }}
      />
      {data && <Report report={data.report} />}
      {gone > 0 && (
        <Checkbox
          label={t('calendar.removeGone', { rows: gone })}
          checked={removesGone}
          onChange={({ currentTarget }) => setRemovesGone(currentTarget.checked)}
        />
      )}
    </SheetDialog>
  );
}

function useImport(plan: string, removesGone: boolean, close: () => void) {
  const zone = useZone();
  const client = useQueryClient();
  const trying = useMutation({
    mutationFn: async ({ file, format }: { file: File; format: DateFormat | undefined }) => {
      const asked = { plan, file: await readBase64(file), date_format: format, time_zone: zone };
      return { file, asked, report: await importAll({ ...asked, dry_run: true }) };
    },
  });
  const importing = useMutation({
    mutationFn: (asked: Omit<Asked, 'dry_run'>) => importAll({ ...asked, dry_run: false, remove_gone: removesGone }),
    // Rows that were imported before an error are there, too.
    onSettled: () => client.invalidateQueries(),
    onSuccess: ({ counts }) => {
      showToast(t('calendar.imported', { rows: changedBy(counts, removesGone) }));
      close();
    },
  });
  return { trying, importing };
}

function DateFormats({
  value,
  onChange,
}: {
  value: DateFormat | undefined;
  onChange: (format: DateFormat | undefined) => void;
}) {
  return (
    <NativeSelect
      label={t('calendar.dateFormat')}
      value={value ?? ''}
      onChange={({ currentTarget }) => onChange(DATE_FORMATS.find((one) => one === currentTarget.value))}
      data={[
        { value: '', label: t('calendar.dateFormats.refuse') },
        { value: 'DD/MM/YYYY', label: t('calendar.dateFormats.dayFirst') },
        { value: 'MM/DD/YYYY', label: t('calendar.dateFormats.monthFirst') },
      ]}
    />
  );
}

/** Sends a sheet in as many parts as it takes. */
async function importAll(asked: Asked): Promise<Pick<Imported, 'counts' | 'rows' | 'warnings'>> {
  const counts: Record<string, number> = {};
  const rows: Row[] = [];
  let from: number | null = 1;
  let warnings: string[] = [];
  while (from !== null) {
    const part: Imported = await call('venom/import-plan', { ...asked, from_row: from });
    for (const [state, count] of Object.entries(part.counts)) counts[state] = (counts[state] ?? 0) + count;
    rows.push(...part.rows);
    ({ next_row: from, warnings } = part);
  }
  return { counts, rows, warnings };
}

const changedBy = ({ new: added = 0, changed = 0, gone = 0 }: Record<string, number>, removesGone: boolean): number =>
  added + changed + (removesGone ? gone : 0);

function Report({ report: { counts, rows, warnings } }: { report: Awaited<ReturnType<typeof importAll>> }) {
  const needsNoLook = (row: Row) => row.state === 'unchanged' && row.warnings.length === 0;
  const listed = STATES.flatMap((state) => rows.filter((row) => row.state === state && !needsNoLook(row)));
  return (
    <Stack gap="xs" role="status">
      <Text size="sm" fw={550}>
        {STATES.filter((state) => (counts[state] ?? 0) > 0)
          .map((state) => `${t(`calendar.rowStates.${state}`)}: ${(counts[state] ?? 0).toLocaleString(locale)}`)
          .join(' · ')}
      </Text>
      {warnings.length > 0 && (
        <List size="sm">
          {warnings.map((warning) => (
            <List.Item key={warning}>{warning}</List.Item>
          ))}
        </List>
      )}
      {listed.length > 0 && (
        <DataTable
          label={t('calendar.import')}
          rows={listed.slice(0, LISTED_AT_MOST)}
          rowKey={(_row, index) => index}
          columns={[
            {
              header: t('calendar.sheetRow'),
              renderCell: ({ row, key }) => (
                <Text size="sm" className={textClasses.breakable} miw={60} maw={160} span>
                  {row === null ? key : `${row} · ${key}`}
                </Text>
              ),
            },
            {
              header: t('calendar.rowState'),
              nowrap: true,
              renderCell: ({ state }) => (
                <Text size="sm" {...(state === 'refused' && { c: 'red' })} span>
                  {t(`calendar.rowStates.${state}`)}
                </Text>
              ),
            },
            {
              header: t('calendar.rowTime'),
              nowrap: true,
              // With its offset: the zone may be that of the row.
              renderCell: ({ local }) => local?.replace('T', ' ').replace(/:00(?=[+-])/, ' ') ?? '–',
            },
            { header: t('calendar.rowAbout'), renderCell: (row) => <About {...row} /> },
          ]}
        />
      )}
      {listed.length > LISTED_AT_MOST && (
        <Text size="sm" c="dimmed">
          {t('calendar.more', { many: (listed.length - LISTED_AT_MOST).toLocaleString(locale) })}
        </Text>
      )}
    </Stack>
  );
}

/** Returns a problem in words, by its column. One of the whole row may be a failure, as of a request. */
function problemOfRow({ field, issue, code = '', params }: Row['problems'][number]): string {
  if (field !== 'row') return `${field}: ${issueText({ code, params })}`;
  return findMessage(`problems.codes.${code}`) ?? findText(`issues.${code}`, params) ?? issue;
}

/** The campaign, what differs, and what is wrong, by the column of the sheet. */
function About({ name, changes, problems, warnings }: Row) {
  const lines = [
    ...(name === undefined ? [] : [name]),
    ...(changes ? [changes.join(', ')] : []),
    ...problems.map(problemOfRow),
    ...warnings,
  ];
  return lines.map((line) => (
    <Text key={line} size="sm">
      {line}
    </Text>
  ));
}
