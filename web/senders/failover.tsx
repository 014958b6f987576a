import { Button, Checkbox, Group, Radio, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useDisclosure } from '@mantine/hooks';
import { useState, type FormEvent } from 'react';
import { useSeveralAccounts } from '../api/accounts.ts';
import { call } from '../api/call.ts';
import type { ListedAccount, Workspace } from '../api/operations.ts';
import { useMay, useWorkspace, workspacesQuery } from '../api/workspace.ts';
import { accountNames } from '../format/account-name.ts';
import { FormErrorText } from '../parts/error-alert.tsx';
import { showToast } from '../parts/notify.ts';
import { Section } from '../parts/page.tsx';
import { QueryStatus } from '../parts/query-status.tsx';
import { RoleNote } from '../parts/role-note.tsx';
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
  const [hands, setHands] = useState(workspace.failover_minutes !== null);
  const [minutes, setMinutes] = useState<number | string>(workspace.failover_minutes ?? SUGGESTED_MINUTES);
  const [failsBack, setFailsBack] = useState(workspace.fails_back);
  const saving = useMutation({
    mutationFn: () =>
      call('workspace/update-workspace', {
        failover_minutes: hands ? Number(minutes) : 'ask',
        fails_back: failsBack,
      }),
    async onSuccess() {
      await client.invalidateQueries({ queryKey: workspacesQuery.queryKey });
      showToast(t('failover.saved'));
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    saving.mutate();
  };
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm" align="flex-start">
        <Radio.Group
          label={t('failover.what')}
          value={hands ? 'hand-over' : 'ask'}
          onChange={(value) => setHands(value === 'hand-over')}
        >
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
            value={minutes}
            onChange={setMinutes}
            readOnly={!isOwner}
          />
        )}
        <Checkbox
          label={t('failover.failsBack')}
          checked={failsBack}
          disabled={!isOwner}
          onChange={(event) => setFailsBack(event.currentTarget.checked)}
        />
        <RoleNote needs="owner" />
        <FormErrorText error={saving.error} />
        {isOwner && (
          <Button type="submit" variant="default" loading={saving.isPending} disabled={hands && Number(minutes) < 1}>
            {t('failover.save')}
          </Button>
        )}
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
