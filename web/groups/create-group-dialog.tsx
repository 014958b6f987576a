import {
  Modal,
  NativeSelect,
  Stack,
  TagsInput,
  Text,
  Textarea,
  TextInput,
  type NativeSelectProps,
} from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { CallOptions } from '../../clients/typescript/client.ts';
import { useSeveralAccounts } from '../api/accounts.ts';
import { call, generateIdempotencyKey } from '../api/call.ts';
import type { GroupKind } from '../api/operations.ts';
import { useCancellableMutation } from '../api/use-cancellable-mutation.ts';
import { accountName } from '../format/account-name.ts';
import { entryProblems, fieldProblems } from '../format/problem.ts';
import { showToast } from '../parts/notify.ts';
import { DialogFoot } from '../parts/save-bar.tsx';
import { NotAdded, type Created } from './not-added.tsx';
import { t } from '../i18n/translate.ts';

const NAME_LIMIT = 100;
const DESCRIPTION_LIMIT = 2_048;

export function CreateGroupDialog({ kind, close }: { kind: GroupKind | undefined; close: () => void }) {
  return (
    <Modal opened={kind !== undefined} onClose={close} title={kind && t(`groups.create.${kind}`)}>
      {kind && <CreateForm kind={kind} close={close} />}
    </Modal>
  );
}

interface Draft {
  name: string;
  description: string;
  participants: string[];
  /** The id of the account that creates it; empty: the default account. */
  account: string;
}

function CreateForm({ kind, close }: { kind: GroupKind; close: () => void }) {
  const client = useQueryClient();
  // One while the dialog is open: pressing the button again after a lost response must not create a second group.
  const [idempotencyKey, setIdempotencyKey] = useState(() => generateIdempotencyKey());
  const form = useForm<Draft>({
    initialValues: { name: '', description: '', participants: [], account: '' },
    validate: { name: (value) => (value.trim() === '' ? t('groups.nameMissing') : null) },
    onValuesChange: () => setIdempotencyKey(generateIdempotencyKey()),
  });
  const creating = useCancellableMutation({
    act: (draft: Draft, signal) => create(kind, draft, { idempotencyKey, signal }),
    onSuccess: async (created, { name }) => {
      await client.invalidateQueries({ queryKey: ['groups'] });
      if (created.not_added.length > 0) return;
      showToast(t('groups.created', { name }));
      close();
    },
    onError: (error, draft) => form.setErrors(problemsOf(error, draft)),
  });
  if (creating.data && creating.data.not_added.length > 0)
    return <NotAdded name={form.values.name} created={creating.data} close={close} />;
  return (
    <form onSubmit={form.onSubmit((draft) => creating.mutate(draft))} noValidate>
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          {t(`groups.about.${kind}`)}
        </Text>
        <TextInput
          label={t('groups.name')}
          maxLength={NAME_LIMIT}
          required
          data-autofocus
          {...form.getInputProps('name')}
        />
        {kind === 'group' ? (
          <TagsInput
            label={t('groups.participants')}
            description={t('groups.participantsHint')}
            splitChars={[',', ';', '\n']}
            acceptValueOnBlur
            clearButtonProps={{ 'aria-label': t('common.clear') }}
            {...form.getInputProps('participants')}
          />
        ) : (
          <Textarea
            label={t('groups.description')}
            maxLength={DESCRIPTION_LIMIT}
            autosize
            minRows={2}
            maxRows={6}
            {...form.getInputProps('description')}
          />
        )}
        <AccountSelect {...form.getInputProps('account')} />
        <DialogFoot acting={creating} close={close} action={t(`groups.create.${kind}`)} />
      </Stack>
    </form>
  );
}

/** Which of several accounts creates the group; nothing with one. */
function AccountSelect(props: NativeSelectProps) {
  const accounts = useSeveralAccounts();
  if (!accounts) return null;
  const data = accounts.map((account) => ({
    value: account.is_default ? '' : String(account.account_id),
    label: accountName(account),
  }));
  return <NativeSelect label={t('pages.account')} data={data} {...props} />;
}

/** The issue of each field; for numbers the issue of each number. */
function problemsOf(error: unknown, draft: Draft) {
  const { group_name, community_name, name, description, participants, account_id: account } = fieldProblems(error);
  const wrong = entryProblems(error, 'participants', numbersOf(draft));
  return {
    name: group_name ?? community_name ?? name,
    description,
    account,
    participants: wrong.length > 0 ? wrong.join(' · ') : participants,
  };
}

async function create(kind: GroupKind, draft: Draft, options: CallOptions): Promise<Created> {
  const { name, description } = draft;
  const by = draft.account === '' ? {} : { account_id: Number(draft.account) };
  const group = { ...by, group_name: name, participants: numbersOf(draft), with_not_added: true };
  if (kind === 'group') {
    const { not_added = [], invite_link = null } = await call('venom/create-group', group, options);
    return { not_added, invite_link };
  }
  if (kind === 'community') await call('venom/create-community', { ...by, community_name: name, description }, options);
  else await call('venom/create-channel', { ...by, name, description, image: null }, options);
  return { not_added: [], invite_link: null };
}

/** The field takes a pasted list. */
function numbersOf({ participants }: Draft): string[] {
  return participants
    .flatMap((one) => one.split(/[,;\n]/))
    .map((one) => one.trim())
    .filter((one) => one !== '');
}
