import { Button, Group, Select, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import { call } from '../api/call.ts';
import type { Data, Member } from '../api/operations.ts';
import { useMay } from '../api/workspace.ts';
import { membersQuery } from '../members/queries.ts';
import { memberName } from '../format/person-name.ts';
import { FormErrorText } from '../parts/error-alert.tsx';
import { GroupSelect } from '../parts/group-select.tsx';
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
  const [reviewGroup, setReviewGroup] = useState(reviewGroupOf(rules));
  const [numbers, setNumbers] = useState(() => numbersOf(rules));
  const changeNumber = (id: number, number: string) => setNumbers(new Map(numbers).set(id, number));
  const saving = useMutation({
    mutationFn: () => {
      const numbersNeeded = { over_groups: overGroups, approvers: Number(approvers) };
      const review = { review_group_id: reviewGroup?.group_metadata_id ?? ('none' as const), ...toWire(numbers) };
      return call('workspace/set-approval-rules', { approval, ...numbersNeeded, ...review });
    },
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
        {approval !== 'never' && (
          <ReviewFields {...{ reviewGroup, setReviewGroup, numbers }} change={changeNumber} isOwner={isOwner} />
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

/** Where posts that wait are shown, and whose answers count there. */
function ReviewFields(fields: {
  reviewGroup: ReviewGroup | undefined;
  setReviewGroup: (group: ReviewGroup | undefined) => void;
  numbers: ReadonlyMap<number, string>;
  change: (userId: number, number: string) => void;
  isOwner: boolean;
}) {
  const { reviewGroup, setReviewGroup, isOwner } = fields;
  return (
    <>
      <GroupSelect
        label={t('approvals.rules.reviewGroup')}
        description={t('approvals.rules.reviewNote')}
        placeholder={t('approvals.rules.noReviewGroup')}
        chosen={reviewGroup}
        choose={setReviewGroup}
        isOffered={({ kind }) => kind !== 'channel'}
        readOnly={!isOwner}
        clearable={isOwner}
      />
      {isOwner && reviewGroup && <ApproverNumbers {...fields} />}
    </>
  );
}

type ReviewGroup = { group_metadata_id: number; group_name: string };

function reviewGroupOf({ review_group_id: id, review_group_name: name }: Rules): ReviewGroup | undefined {
  return id === null ? undefined : { group_metadata_id: id, group_name: name ?? '' };
}

function numbersOf({ phone_approvers: approvers = [] }: Rules): ReadonlyMap<number, string> {
  return new Map(approvers.map(({ user_id, whatsapp_number }) => [user_id, `+${whatsapp_number}`]));
}

function toWire(numbers: ReadonlyMap<number, string>) {
  const given = [...numbers].filter(([, number]) => number.trim() !== '');
  return { phone_approvers: given.map(([user_id, whatsapp_number]) => ({ user_id, whatsapp_number })) };
}

/** The numbers of those who may decide: their answers in the review group count. */
function ApproverNumbers({
  numbers,
  change,
}: {
  numbers: ReadonlyMap<number, string>;
  change: (userId: number, number: string) => void;
}) {
  const { data } = useQuery(membersQuery);
  const mayDecide = ({ role }: Member) => role === 'manager' || role === 'owner';
  return (
    <Stack gap="xs">
      {(data?.members ?? []).filter(mayDecide).map((member) => (
        <TextInput
          key={member.user_id}
          type="tel"
          label={t('approvals.rules.numberOf', { name: memberName(member) })}
          value={numbers.get(member.user_id) ?? ''}
          onChange={({ currentTarget }) => change(member.user_id, currentTarget.value)}
        />
      ))}
      <Text size="sm" c="dimmed">
        {t('approvals.rules.noNumber')}
      </Text>
    </Stack>
  );
}
