import { Button, FileButton, Group, Modal, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { t } from '../i18n/translate.ts';
import { ErrorText } from './error-alert.tsx';

interface Acting {
  isPending: boolean;
  error: unknown;
}

interface SheetDialogProps {
  title: string;
  hint: string;
  size: 'lg' | 'xl';
  close: () => void;
  /** The dry run. */
  trying: Acting;
  importing: Acting;
  choose: (file: File) => void;
  isReady?: boolean;
  /** The import, once the dry run has told what it would change. */
  confirm: { label: string; isEmpty: boolean; act: () => void } | undefined;
  /** What there is to choose before, and what the dry run tells. */
  children: ReactNode;
}

/** Imports a sheet: first a dry run, whose result the user confirms. */
export function SheetDialog({
  title,
  hint,
  size,
  close,
  trying,
  importing,
  choose,
  isReady = true,
  confirm,
  children,
}: SheetDialogProps) {
  return (
    <Modal opened onClose={close} title={title} size={size}>
      <Stack gap="md">
        <Text size="sm">{hint}</Text>
        {children}
        <ErrorText error={trying.error ?? importing.error} />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={close}>
            {t('common.back')}
          </Button>
          <FileButton accept=".csv,.tsv,.txt,.xlsx" onChange={(file) => file && choose(file)}>
            {(props) => (
              <Button
                {...props}
                {...(confirm && { variant: 'default' })}
                disabled={!isReady}
                loading={trying.isPending}
              >
                {t('groupFields.chooseFile')}
              </Button>
            )}
          </FileButton>
          {confirm && (
            <Button disabled={confirm.isEmpty} loading={importing.isPending} onClick={confirm.act}>
              {confirm.label}
            </Button>
          )}
        </Group>
      </Stack>
    </Modal>
  );
}
