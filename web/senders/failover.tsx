import { Button, Checkbox, Group, Radio, Stack, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useSeveralAccounts } from '../api/accounts.ts';
import { call } from '../api/call.ts';
import type { ListedAccount, Workspace } from '../api/operations.ts';
import { useMay, useWorkspace, workspacesQuery } from '../api/workspace.ts';
import { accountNames } from '../format/account-name.ts';
import { fieldProblems } from '../format/problem.ts';
import { Section } from '../parts/page.tsx';
import { QueryStatus } from '../parts/query-status.tsx';
import { RoleNote } from '../parts/role-note.tsx';
import { SaveBar, showSaved } from '../parts/save-bar.tsx';
import { WholeNumber } from '../parts/whole-number.tsx';
import { t } from '../i18n/translate.ts';
import { sendersQuery } from './sender-queries.ts';
import { SenderRuleText } from './sender-rule.tsx';
import { SendersDialog } from './senders-dialog.tsx';

const WEEK_MINUTES = 10_080;
const SUGGESTED_MINUTES = 30;

/** What happens to the posts of an account that cannot send, and who posts where nothing else is set. Needs several accounts. */
export function Failover() {
  const accounts = useSeveralAccounts();
  const workspace = useWorkspace();
  return (
    <Section title={t('failover.title')}>
      <Stack gap="md">
        <Text size="sm" c="dimmed">
          {t('failover.note')}
        </Text>
        {workspace && <FailoverForm key={JSON.stringify(workspace)} workspace={workspace} />}
        {accounts && <WorkspaceSenders accounts={accounts} />}
      </Stack>
    </Section>
  );
}

function FailoverForm({ workspace }: { workspace: Workspace }) {
  const client = useQueryClient();
  const isOwner = useMay('owner') === true;
  const form = useForm({
    initialValues: {
      what: workspace.failover_minutes === null ? 'ask' : 'hand-over',
      minutes: (workspace.failover_minutes ?? SUGGESTED_MINUTES) as number | string,
      failsBack: workspace.fails_back,
    },
  });
  const hands = form.values.what === 'hand-over';
  const saving = useMutation({
    mutationFn: ({ minutes, failsBack }: typeof form.values) =>
      call('workspace/update-workspace', {
        failover_minutes: hands ? Number(minutes) : 'ask',
        fails_back: failsBack,
      }),
    async onSuccess() {
      await client.invalidateQueries({ queryKey: workspacesQuery.queryKey });
      showSaved();
    },
    onError: (error) => form.setErrors({ minutes: fieldProblems(error)['failover_minutes'] }),
  });
  return (
    <form onSubmit={form.onSubmit((values) => saving.mutate(values))} noValidate>
      <Stack gap="sm" align="flex-start">
        <Radio.Group label={t('failover.what')} {...form.getInputProps('what')}>
          <Stack gap="xs" mt={6}>
            <Radio value="ask" label={t('failover.ask')} disabled={!isOwner} />
            <Radio value="hand-over" label={t('failover.handOver')} disabled={!isOwner} />
          </Stack>
        </Radio.Group>
        {hands && (
          <WholeNumber
            w={220}
            maw="100%"
            label={t('failover.minutes')}
            min={1}
            max={WEEK_MINUTES}
            readOnly={!isOwner}
            {...form.getInputProps('minutes')}
          />
        )}
        <Checkbox
          label={t('failover.failsBack')}
          disabled={!isOwner}
          {...form.getInputProps('failsBack', { type: 'checkbox' })}
        />
        <RoleNote needs="owner" />
        {isOwner && <SaveBar isChanged={form.isDirty()} saving={saving} discard={form.reset} />}
      </Stack>
    </form>
  );
}

/** The rule of the workspace: it holds where neither the group nor one of its lists has one. */
function WorkspaceSenders({ accounts }: { accounts: readonly ListedAccount[] }) {
  const rules = useQuery(sendersQuery());
  const mayChange = useMay('manager') === true;
  const [isChanging, { open, close }] = useDisclosure(false);
  const rule = rules.data?.senders.find(({ scope }) => scope === 'workspace');
  return (
    <Stack gap="xs" align="flex-start">
      <Text size="sm" fw={550}>
        {t('failover.senders')}
      </Text>
      <QueryStatus of={rules} rows={1} />
      {rules.isSuccess &&
        (rule ? (
          <SenderRuleText rule={rule} names={accountNames(accounts)} />
        ) : (
          <Text size="sm">{t('senders.noRule')}</Text>
        ))}
      {mayChange && (
        <Group>
          <Button size="xs" variant="default" onClick={open} disabled={!rules.isSuccess}>
            {t('senders.change')}
          </Button>
        </Group>
      )}
      <SendersDialog
        opened={isChanging}
        close={close}
        title={t('senders.changeAllTitle')}
        accounts={accounts}
        of={{}}
        chosen={rule?.account_ids}
        hasRule={rule !== undefined}
      />
    </Stack>
  );
}
