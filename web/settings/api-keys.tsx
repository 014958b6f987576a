import {
  Alert,
  Button,
  Checkbox,
  Code,
  Group,
  Modal,
  Select,
  Stack,
  TextInput,
  type CheckboxProps,
  type SelectProps,
} from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDisclosure } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ROLES } from '../../src/workspaces/members/roles.ts';
import { call } from '../api/call.ts';
import type { ApiKey, Role } from '../api/operations.ts';
import { useCancellableMutation } from '../api/use-cancellable-mutation.ts';
import { ConfirmButton } from '../parts/confirm-button.tsx';
import { CopyButton } from '../parts/copy-button.tsx';
import { DataTable, RowName } from '../parts/data-table.tsx';
import { Empty } from '../parts/empty.tsx';
import { ErrorText } from '../parts/error-alert.tsx';
import { RelativeTime } from '../parts/relative-time.tsx';
import { Section } from '../parts/page.tsx';
import { QueryStatus } from '../parts/query-status.tsx';
import textClasses from '../parts/text.module.css';
import { t } from '../i18n/translate.ts';

const KEY = ['api-keys'];
const DAY_MS = 86_400_000;
const NAME_LIMIT = 100;
const SCOPES = ['read', 'write', 'send', 'webhooks', 'admin'] as const;
const LIFETIMES = ['never', '30', '90', '365'] as const;

export function ApiKeys() {
  const keys = useQuery({ queryKey: KEY, queryFn: ({ signal }) => call('user/list_api_keys', {}, { signal }) });
  const [isMaking, making] = useDisclosure(false);
  return (
    <Section
      title={t('settings.apiKeys')}
      aside={
        <Button size="xs" variant="default" onClick={making.open}>
          {t('settings.newKey')}
        </Button>
      }
    >
      <QueryStatus of={keys} rows={2} />
      {keys.data?.api_keys.length === 0 && (
        <Empty isSmall sample="keys">
          {t('settings.noKeys')}
        </Empty>
      )}
      {keys.data && keys.data.api_keys.length > 0 && <KeyTable keys={keys.data.api_keys} />}
      <NewKey opened={isMaking} close={making.close} />
    </Section>
  );
}

function KeyTable({ keys }: { keys: readonly ApiKey[] }) {
  const client = useQueryClient();
  const revoke = async (api_key_id: number, signal: AbortSignal) => {
    await call('user/revoke_api_key', { api_key_id }, { signal });
    await client.invalidateQueries({ queryKey: KEY });
  };
  const momentOrNever = (at: string | null) => (at === null ? t('settings.never') : <RelativeTime at={at} />);
  return (
    <DataTable
      label={t('settings.apiKeys')}
      rows={keys}
      rowKey={(key) => key.api_key_id}
      columns={[
        {
          header: t('settings.keyName'),
          cellProps: { fw: 550 },
          renderCell: ({ name, prefix }) => (
            <RowName name={name}>
              <Code>{prefix}…</Code>
            </RowName>
          ),
        },
        {
          header: t('settings.keyMay'),
          isRest: true,
          renderCell: ({ scopes, role }) => rightsOf(scopes, role),
        },
        {
          header: t('settings.keyMade'),
          visibleFrom: 'xl',
          nowrap: true,
          renderCell: ({ created_at: createdAt }) => <RelativeTime at={createdAt} />,
        },
        { header: t('settings.keyUsed'), nowrap: true, renderCell: (key) => momentOrNever(key.last_used_at) },
        {
          header: t('settings.keyEnds'),
          visibleFrom: 'sm',
          nowrap: true,
          renderCell: (key) => momentOrNever(key.expires_at),
        },
        {
          header: t('settings.revoke'),
          isActions: true,
          renderCell: ({ name, api_key_id: id }) => (
            <ConfirmButton
              size="compact-sm"
              variant="subtle"
              title={t('settings.revokeTitle', { name })}
              aria-label={t('settings.revokeTitle', { name })}
              action={t('settings.revoke')}
              act={(signal) => revoke(id, signal)}
              danger
            >
              {t('settings.revokeNote')}
            </ConfirmButton>
          ),
        },
      ]}
    />
  );
}

/** "Read, Send · Owner" */
function rightsOf(scopes: ApiKey['scopes'], role: ApiKey['role']): ReactNode {
  const rights = `${scopes.map((scope) => t(`settings.scopes.${scope}`)).join(', ')} · ${t(`members.roles.${role}`)}`;
  return <span title={rights}>{rights}</span>;
}

function NewKey({ opened, close }: { opened: boolean; close: () => void }) {
  const [isShown, shown] = useDisclosure(false);
  return (
    <Modal
      opened={opened}
      onClose={close}
      title={t('settings.newKey')}
      // The key is shown once, so only its button closes the dialog.
      closeOnEscape={!isShown}
      closeOnClickOutside={!isShown}
      withCloseButton={!isShown}
      onExitTransitionEnd={shown.close}
    >
      <NewKeyForm close={close} onMade={shown.open} />
    </Modal>
  );
}

function useNewKey(onMade: () => void) {
  const client = useQueryClient();
  const form = useForm({
    initialValues: {
      name: '',
      scopes: ['read'] as string[],
      role: 'owner' as Role,
      days: 'never' as string | null,
      isTest: false,
    },
    validate: {
      name: (value) => (value.trim() === '' ? t('settings.keyNameMissing') : null),
      scopes: (value) => (value.length === 0 ? t('settings.scopeMissing') : null),
    },
  });
  const making = useCancellableMutation({
    act: ({ name, scopes, role, days, isTest }: typeof form.values, signal) => {
      const key = {
        name,
        scopes: SCOPES.filter((one) => scopes.includes(one)),
        role,
        ...(isTest && { test: true }),
        ...(days !== 'never' && { expires_at: new Date(Date.now() + Number(days) * DAY_MS).toISOString() }),
      };
      return call('user/create_api_key', key, { signal });
    },
    onSuccess: () => {
      onMade();
      return client.invalidateQueries({ queryKey: KEY });
    },
  });
  return { form, making };
}

function NewKeyForm({ close, onMade }: { close: () => void; onMade: () => void }) {
  const { form, making } = useNewKey(onMade);
  if (making.data)
    return (
      <Stack gap="sm">
        <Alert variant="default">{t('settings.keyOnce')}</Alert>
        <Code block className={textClasses.breakable}>
          {making.data.key}
        </Code>
        <Group justify="flex-end">
          <CopyButton value={making.data.key} label={t('settings.copyKey')} />
          <Button size="xs" onClick={close}>
            {t('common.done')}
          </Button>
        </Group>
      </Stack>
    );
  return (
    <form onSubmit={form.onSubmit((values) => making.mutate(values))} noValidate>
      <Stack gap="sm">
        <TextInput
          label={t('settings.keyName')}
          maxLength={NAME_LIMIT}
          required
          data-autofocus
          {...form.getInputProps('name')}
        />
        <Checkbox.Group label={t('settings.keyMay')} {...form.getInputProps('scopes')}>
          <Scopes />
        </Checkbox.Group>
        <RoleOfKey {...form.getInputProps('role')} />
        <Select
          label={t('settings.keyLives')}
          data={LIFETIMES.map((value) => ({ value, label: t(`settings.keyLifetimes.${value}`) }))}
          allowDeselect={false}
          {...form.getInputProps('days')}
        />
        <TestKey {...form.getInputProps('isTest', { type: 'checkbox' })} />
        <ErrorText error={making.error} />
        <Group justify="flex-end">
          <Button type="submit" loading={making.isPending}>
            {t('settings.makeKey')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function RoleOfKey(input: SelectProps) {
  return (
    <Select
      {...input}
      label={t('members.role')}
      description={t('settings.keyRoleNote')}
      data={ROLES.map((value) => ({ value, label: t(`members.roles.${value}`) }))}
      allowDeselect={false}
    />
  );
}

function TestKey(input: CheckboxProps) {
  return <Checkbox {...input} label={t('settings.testKey')} description={t('settings.testKeyNote')} />;
}

function Scopes() {
  return (
    <Stack gap={6} mt={6}>
      <Checkbox value="read" label={t('settings.scopeRead')} />
      <Checkbox value="write" label={t('settings.scopeWrite')} />
      <Checkbox value="send" label={t('settings.scopeSend')} />
      <Checkbox value="webhooks" label={t('settings.scopeWebhooks')} />
      <Checkbox value="admin" label={t('settings.scopeAdmin')} />
    </Stack>
  );
}
