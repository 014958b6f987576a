import { Button, Group, Select, Stack } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import { call } from '../api/call.ts';
import type { Data } from '../api/operations.ts';
import { useMay } from '../api/workspace.ts';
import { FormErrorText } from '../parts/error-alert.tsx';
import { showToast } from '../parts/notify.ts';
import { Section } from '../parts/page.tsx';
import { QueryStatus } from '../parts/query-status.tsx';
import { RoleNote } from '../parts/role-note.tsx';
import { WholeNumber } from '../parts/whole-number.tsx';
import { t } from '../i18n/translate.ts';
import { approvalsQuery } from './approval-queries.ts';

type Rules = Data<'venom/list-approvals'>['rules'];

const RULES = ['never', 'authors', 'all'] as const;
const MOST_GROUPS = 10_000;

/** Which posts need an approval; the owner can change it. */
export function ApprovalRules() {
  const list = useQuery(approvalsQuery);
  return (
    <Section title={t('approvals.rules.title')}>
      <QueryStatus of={list} rows={2} />
      {list.data && <RulesForm key={JSON.stringify(list.data.rules)} rules={list.data.rules} />}
    </Section>
  );
}

function RulesForm({ rules }: { rules: Rules }) {
  const client = useQueryClient();
  const isOwner = useMay('owner') === true;
  const [approval, setApproval] = useState(rules.approval);
  const [overGroups, setOverGroups] = useState(rules.over_groups);
  const [approvers, setApprovers] = useState(String(rules.approvers));
  const saving = useMutation({
    mutationFn: () =>
      call('workspace/set-approval-rules', { approval, over_groups: overGroups, approvers: Number(approvers) }),
    async onSuccess() {
      await client.invalidateQueries({ queryKey: approvalsQuery.queryKey });
      showToast(t('approvals.rules.saved'));
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    saving.mutate();
  };
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm">
        <Select
          label={t('approvals.rules.who')}
          value={approval}
          readOnly={!isOwner}
          allowDeselect={false}
          data={RULES.map((value) => ({ value, label: t(`approvals.rules.${value}`) }))}
          onChange={(value) => setApproval(RULES.find((one) => one === value) ?? 'never')}
        />
        {approval === 'all' && (
          <WholeNumber
            label={t('approvals.rules.overGroups')}
            value={overGroups}
            max={MOST_GROUPS}
            readOnly={!isOwner}
            onChange={(value) => setOverGroups(Number(value) || 0)}
          />
        )}
        {approval !== 'never' && (
          <Select
            label={t('approvals.rules.approvers')}
            value={approvers}
            readOnly={!isOwner}
            allowDeselect={false}
            data={['1', '2'].map((value) => ({ value, label: t('approvals.rules.people', { people: Number(value) }) }))}
            onChange={(value) => setApprovers(value ?? '1')}
          />
        )}
        <RoleNote needs="owner" />
        <FormErrorText error={saving.error} />
        {isOwner && (
          <Group justify="flex-end">
            <Button type="submit" variant="default" loading={saving.isPending}>
              {t('approvals.rules.save')}
            </Button>
          </Group>
        )}
      </Stack>
    </form>
  );
}
