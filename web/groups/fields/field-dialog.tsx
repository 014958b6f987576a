import { Modal, Select, Stack, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import { call } from '../../api/call.ts';
import { t } from '../../i18n/translate.ts';
import { DialogFoot } from '../../parts/save-bar.tsx';
import { FIELD_KINDS, type FieldKind, type GroupField } from './field-queries.ts';

const LONGEST_NAME = 40;

/** Adds a field, or changes the name and the kind of one. */
export function FieldDialog({
  field,
  close,
  onSaved,
}: {
  field?: GroupField;
  close: () => void;
  onSaved: () => Promise<unknown>;
}) {
  const [name, setName] = useState(field?.name ?? '');
  const [kind, setKind] = useState<FieldKind>(field?.kind ?? 'text');
  const saving = useMutation({
    mutationFn: () => call('venom/set-fields', { fields: [{ field_id: field?.field_id, name, kind }] }),
    onSuccess: async () => {
      await onSaved();
      close();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (name.trim() !== '') saving.mutate();
  };
  return (
    <Modal opened onClose={close} title={field ? t('groupFields.rename') : t('groupFields.add')}>
      <form onSubmit={submit} noValidate>
        <Stack gap="sm">
          <TextInput
            label={t('groupFields.name')}
            description={t('groupFields.nameHint')}
            maxLength={LONGEST_NAME}
            data-autofocus
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <Select
            label={t('groupFields.kind')}
            data={FIELD_KINDS.map((value) => ({ value, label: t(`groupFields.kinds.${value}`) }))}
            value={kind}
            allowDeselect={false}
            onChange={(value) => setKind((value ?? 'text') as FieldKind)}
          />
          <DialogFoot acting={saving} close={close} isReady={name.trim() !== ''} />
        </Stack>
      </form>
    </Modal>
  );
}
