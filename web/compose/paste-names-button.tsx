import { Button, List, Modal, Stack, Text, Textarea } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import { Icon } from '../parts/icons.tsx';
import { showToast } from '../parts/notify.ts';
import { DialogFoot } from '../parts/save-bar.tsx';
import { t } from '../i18n/translate.ts';
import { matchNames, type NameMatches } from './match-names.ts';

const ROWS = 8;

/** Adds the groups of a pasted column of names. The names that were not added stay in the field, with the reason. */
export function PasteNamesButton({ onPick }: { onPick: (groups: NameMatches['found']) => void }) {
  const [isOpen, opened] = useDisclosure(false);
  const [column, setColumn] = useState('');
  const matching = useMutation({
    mutationFn: () => matchNames(column),
    onSuccess: (matches) => {
      onPick(matches.found);
      if (matches.found.length > 0) showToast(t('compose.namesAdded', { groups: matches.found.length }));
      const left = [...matches.unknown, ...matches.ambiguous, ...matches.unpostable];
      setColumn(left.join('\n'));
      if (left.length === 0) close();
    },
  });
  const close = () => {
    opened.close();
    setColumn('');
    matching.reset();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (column.trim() !== '') matching.mutate();
  };
  return (
    <>
      <Button size="xs" variant="default" leftSection={<Icon name="clip" size={14} />} onClick={opened.open}>
        {t('compose.pasteNames')}
      </Button>
      <Modal opened={isOpen} onClose={close} title={t('compose.pasteNames')}>
        <form onSubmit={submit} noValidate>
          <Stack gap="sm">
            <Textarea
              label={t('compose.groupNames')}
              description={t('compose.groupNamesHint')}
              rows={ROWS}
              data-autofocus
              value={column}
              onChange={(event) => setColumn(event.currentTarget.value)}
            />
            {matching.data && <NotAdded {...matching.data} />}
            <DialogFoot
              acting={matching}
              close={close}
              action={t('compose.addGroups')}
              isReady={column.trim() !== ''}
            />
          </Stack>
        </form>
      </Modal>
    </>
  );
}

function NotAdded({ unknown, ambiguous, unpostable }: NameMatches) {
  return (
    <div role="alert">
      <Names title={t('compose.namesUnknown')} names={unknown} />
      <Names title={t('compose.namesAmbiguous')} names={ambiguous} />
      <Names title={t('compose.namesUnpostable')} names={unpostable} />
    </div>
  );
}

function Names({ title, names }: { title: string; names: readonly string[] }) {
  if (names.length === 0) return null;
  return (
    <>
      <Text size="sm" fw={550}>
        {title}
      </Text>
      <List size="sm" mah={160} style={{ overflowY: 'auto' }}>
        {names.map((name) => (
          <List.Item key={name}>{name}</List.Item>
        ))}
      </List>
    </>
  );
}
