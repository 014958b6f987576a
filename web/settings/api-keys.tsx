import {
  Alert,
  Button,
  Checkbox,
  Code,
  Group,
  Modal,
  Select,
  Stack,
  Table,
  Text,
  TextInput,
  VisuallyHidden,
} from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDisclosure } from '@mantine/hooks';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../api/call.ts';
import type { ApiKey } from '../api/operations.ts';
import { useWithdrawable } from '../api/use-withdrawable.ts';
import boxClasses from '../parts/box.module.css';
import { Confirm } from '../parts/confirm.tsx';
import { CopyButton } from '../parts/copy-button.tsx';
import { Failed, Problem } from '../parts/failed.tsx';
import { Moment } from '../parts/moment.tsx';
import { RowsSkeleton, Section } from '../parts/page.tsx';
import textClasses from '../parts/text.module.css';
import { words } from '../words/words.ts';

const KEY = ['api-keys'];
const DAY_MS = 86_400_000;
const NAME_LIMIT = 100;
const LIFETIMES = ['never', '30', '90', '365'];

export function ApiKeys() {
  const client = useQueryClient();
  const keys = useQuery({ queryKey: KEY, queryFn: ({ signal }) => call('user/list_api_keys', {}, { signal }) });
  const [isMaking, making] = useDisclosure(false);
  const [revoked, setRevoked] = useState<ApiKey>();
  const revoke = async (signal: AbortSignal) => {
    if (!revoked) return;
    await call('user/revoke_api_key', { api_key_id: revoked.api_key_id }, { signal });
    await client.invalidateQueries({ queryKey: KEY });
  };
  return (
    <Section
      title={words.settings.apiKeys}
      aside={
        <Button size="xs" variant="default" onClick={making.open}>
          {words.settings.newKey}
        </Button>
      }
    >
      {keys.isPending && <RowsSkeleton rows={2} />}
      {keys.isError && <Failed error={keys.error} retry={() => void keys.refetch()} />}
      {keys.data?.api_keys.length === 0 && (
        <Text size="sm" c="dimmed">
          {words.settings.noKeys}
        </Text>
      )}
      {keys.data && keys.data.api_keys.length > 0 && <KeyTable keys={keys.data.api_keys} revoke={setRevoked} />}
      <NewKey opened={isMaking} close={making.close} />
      <Confirm
        opened={revoked !== undefined}
        close={() => setRevoked(undefined)}
        title={words.settings.revokeTitle(revoked?.name ?? '')}
        action={words.settings.revoke}
        act={revoke}
        danger
      >
        {words.settings.revokeNote}
      </Confirm>
    </Section>
  );
}

function KeyTable({ keys, revoke }: { keys: readonly ApiKey[]; revoke: (key: ApiKey) => void }) {
  return (
    <div className={boxClasses.table}>
      <Table verticalSpacing="xs">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{words.settings.keyName}</Table.Th>
            <Table.Th visibleFrom="sm">{words.settings.keyBegins}</Table.Th>
            <Table.Th>{words.settings.keyMay}</Table.Th>
            <Table.Th visibleFrom="sm">{words.settings.keyMade}</Table.Th>
            <Table.Th>{words.settings.keyUsed}</Table.Th>
            <Table.Th>{words.settings.keyEnds}</Table.Th>
            <Table.Th>
              <VisuallyHidden>{words.settings.revoke}</VisuallyHidden>
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {keys.map((key) => (
            <Table.Tr key={key.api_key_id}>
              <Table.Td fw={550}>
                {key.name}
                <Code hiddenFrom="sm" display="block" w="max-content" fw={400}>
                  {key.prefix}…
                </Code>
              </Table.Td>
              <Table.Td visibleFrom="sm">
                <Code>{key.prefix}…</Code>
              </Table.Td>
              <Table.Td>{key.scopes.map((scope) => words.settings.scopes[scope]).join(', ')}</Table.Td>
              <Table.Td visibleFrom="sm">
                <Moment at={key.created_at} />
              </Table.Td>
              <Table.Td>{key.last_used_at === null ? words.settings.never : <Moment at={key.last_used_at} />}</Table.Td>
              <Table.Td>{key.expires_at === null ? words.settings.never : <Moment at={key.expires_at} />}</Table.Td>
              <Table.Td ta="right">
                <Button
                  size="compact-sm"
                  variant="subtle"
                  aria-label={words.settings.revokeTitle(key.name)}
                  onClick={() => revoke(key)}
                >
                  {words.settings.revoke}
                </Button>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}

function NewKey({ opened, close }: { opened: boolean; close: () => void }) {
  const [isShown, shown] = useDisclosure(false);
  return (
    <Modal
      opened={opened}
      onClose={close}
      title={words.settings.newKey}
      // A key that is seen this once goes when its reader says so, and by no stray key or click.
      closeOnEscape={!isShown}
      closeOnClickOutside={!isShown}
      withCloseButton={!isShown}
      onExitTransitionEnd={shown.close}
    >
      <NewKeyForm close={close} onMade={shown.open} />
    </Modal>
  );
}

function NewKeyForm({ close, onMade }: { close: () => void; onMade: () => void }) {
  const client = useQueryClient();
  const form = useForm({
    initialValues: { name: '', scopes: ['read'] as string[], days: 'never' as string | null },
    validate: {
      name: (value) => (value.trim() === '' ? words.settings.keyNameMissing : null),
      scopes: (value) => (value.length === 0 ? words.settings.scopeMissing : null),
    },
  });
  const making = useWithdrawable({
    act: ({ name, scopes, days }: typeof form.values, signal) => {
      const key = {
        name,
        scopes: scopes.filter((one) => one === 'read' || one === 'send' || one === 'admin'),
        ...(days !== 'never' && { expires_at: new Date(Date.now() + Number(days) * DAY_MS).toISOString() }),
      };
      return call('user/create_api_key', key, { signal });
    },
    onSuccess: () => {
      onMade();
      return client.invalidateQueries({ queryKey: KEY });
    },
  });
  if (making.data)
    return (
      <Stack gap="sm">
        <Alert variant="default">{words.settings.keyOnce}</Alert>
        <Code block className={textClasses.breakable}>
          {making.data.key}
        </Code>
        <Group justify="flex-end">
          <CopyButton value={making.data.key} label={words.settings.copyKey} />
          <Button size="xs" onClick={close}>
            {words.done}
          </Button>
        </Group>
      </Stack>
    );
  return (
    <form onSubmit={form.onSubmit((values) => making.mutate(values))} noValidate>
      <Stack gap="sm">
        <TextInput
          label={words.settings.keyName}
          maxLength={NAME_LIMIT}
          required
          data-autofocus
          {...form.getInputProps('name')}
        />
        <Checkbox.Group label={words.settings.keyMay} {...form.getInputProps('scopes')}>
          <Scopes />
        </Checkbox.Group>
        <Select
          label={words.settings.keyLives}
          data={LIFETIMES.map((value) => ({ value, label: Reflect.get(words.settings.keyLifetimes, value) }))}
          allowDeselect={false}
          {...form.getInputProps('days')}
        />
        <Problem error={making.error} />
        <Group justify="flex-end">
          <Button type="submit" loading={making.isPending}>
            {words.settings.makeKey}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function Scopes() {
  return (
    <Stack gap={6} mt={6}>
      <Checkbox value="read" label={words.settings.scopeRead} />
      <Checkbox value="send" label={words.settings.scopeSend} />
      <Checkbox value="admin" label={words.settings.scopeAdmin} />
    </Stack>
  );
}
