import { Button } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { CampanileError } from '../../../clients/typescript/failure.ts';
import { call } from '../../api/call.ts';
import { useMay } from '../../api/workspace.ts';
import { t } from '../../i18n/translate.ts';
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx';
import { DownloadCsvButton } from '../../parts/download-csv-button.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Page } from '../../parts/page.tsx';
import { QueryStatus } from '../../parts/query-status.tsx';
import { RoleNote } from '../../parts/role-note.tsx';
import { EditedSheet } from './edited-sheet.tsx';
import { FieldDialog } from './field-dialog.tsx';
import { fieldsQuery, sheetQuery, type FieldAction, type GroupField } from './field-queries.ts';
import { ImportDialog } from './import-dialog.tsx';

type Dialog = 'add' | 'import' | FieldAction;

/** What the workspace knows about its groups, as a sheet. */
export default function FieldsPage() {
  const client = useQueryClient();
  const fields = useQuery(fieldsQuery);
  const sheet = useQuery(sheetQuery);
  const may = useMay('manager') !== false;
  const [dialog, setDialog] = useState<Dialog>();
  const reload = () =>
    Promise.all([fieldsQuery, sheetQuery].map(({ queryKey }) => client.invalidateQueries({ queryKey })));
  const hasFields = fields.isSuccess && fields.data.length > 0;
  const add = may && <Button onClick={() => setDialog('add')}>{t('groupFields.add')}</Button>;
  return (
    <Page
      title={t('groupFields.title')}
      actions={
        hasFields && (
          <>
            <DownloadCsvButton
              name={t('groupFields.title')}
              load={(format) => call('venom/export-group-fields', { format })}
            />
            {may && (
              <Button size="xs" variant="default" onClick={() => setDialog('import')}>
                {t('groupFields.import')}
              </Button>
            )}
            {add}
          </>
        )
      }
    >
      <RoleNote needs="manager" text={t('groupFields.ofManagers')} mb="sm" />
      <QueryStatus of={fields} rows={1} />
      {hasFields && <QueryStatus of={sheet} rows={6} />}
      {fields.isSuccess && !hasFields && (
        <Empty title={t('groupFields.none')} sample="fields" action={add}>
          {t('groupFields.noneHint')}
        </Empty>
      )}
      {hasFields && sheet.isSuccess && (
        <EditedSheet fields={fields.data} groups={sheet.data} reload={reload} {...(may && { open: setDialog })} />
      )}
      <Dialogs dialog={dialog} close={() => setDialog(undefined)} reload={reload} />
    </Page>
  );
}

function Dialogs({
  dialog,
  close,
  reload,
}: {
  dialog: Dialog | undefined;
  close: () => void;
  reload: () => Promise<unknown>;
}) {
  if (dialog === undefined) return null;
  if (dialog === 'add') return <FieldDialog close={close} onSaved={reload} />;
  if (dialog === 'import') return <ImportDialog close={close} onImported={reload} />;
  if ('rename' in dialog) return <FieldDialog field={dialog.rename} close={close} onSaved={reload} />;
  return <RemoveDialog field={dialog.remove} close={close} reload={reload} />;
}

/** Asks a second time for a field that posts or lists need, and says which. */
function RemoveDialog({
  field: { field_id: id, name, group_count: groups },
  close,
  reload,
}: {
  field: GroupField;
  close: () => void;
  reload: () => Promise<unknown>;
}) {
  const [isInUse, setInUse] = useState(false);
  return (
    <ConfirmDialog
      opened
      close={close}
      title={t('groupFields.removeTitle', { name })}
      action={isInUse ? t('groupFields.removeInUse') : t('groupFields.remove')}
      act={async (signal) => {
        try {
          await call('venom/set-fields', { remove: [id], remove_in_use: isInUse }, { signal });
        } catch (error) {
          setInUse(error instanceof CampanileError && error.errorCode === 'field_in_use');
          throw error;
        }
        await reload();
      }}
      danger
    >
      {t('groupFields.removeText', { groups })}
    </ConfirmDialog>
  );
}
