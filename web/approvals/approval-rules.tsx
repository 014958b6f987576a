import { Select, Stack, Text, TextInput } from '@mantine/core';
import { useForm, type UseFormReturnType } from '@mantine/form';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { call } from '../api/call.ts';
import type { Data, Member } from '../api/operations.ts';
import { useMay } from '../api/workspace.ts';
import { membersQuery } from '../members/queries.ts';
import { memberName } from '../format/person-name.ts';
import { GroupSelect } from '../parts/group-select.tsx';
import { Section } from '../parts/page.tsx';
import { QueryStatus } from '../parts/query-status.tsx';
import { RoleNote } from '../parts/role-note.tsx';
import { SaveBar, showSaved } from '../parts/save-bar.tsx';
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
  const form = useForm({ initialValues: toValues(rules) });
  const saving = useMutation({
    mutationFn: (values: Values) => call('workspace/set-approval-rules', toWire(values)),
    async onSuccess() {
      await client.invalidateQueries({ queryKey: approvalsQuery.queryKey });
      showSaved();
    },
  });
  const { approval } = form.values;
  return (
    <form onSubmit={form.onSubmit((values) => saving.mutate(values))} noValidate>
      <Stack gap="sm">
        <Select
          label={t('approvals.rules.who')}
          readOnly={!isOwner}
          allowDeselect={false}
          data={RULES.map((value) => ({ value, label: t(`approvals.rules.${value}`) }))}
          {...form.getInputProps('approval')}
        />
        {approval === 'all' && (
          <WholeNumber
            label={t('approvals.rules.overGroups')}
            max={MOST_GROUPS}
            readOnly={!isOwner}
            {...form.getInputProps('overGroups')}
          />
        )}
        {approval !== 'never' && (
          <Select
            label={t('approvals.rules.approvers')}
            readOnly={!isOwner}
            allowDeselect={false}
            data={['1', '2'].map((value) => ({ value, label: t('approvals.rules.people', { people: Number(value) }) }))}
            {...form.getInputProps('approvers')}
          />
        )}
        {approval !== 'never' && <ReviewFields form={form} isOwner={isOwner} />}
        <RoleNote needs="owner" />
        {isOwner && <SaveBar isChanged={form.isDirty()} saving={saving} discard={form.reset} />}
      </Stack>
    </form>
  );
}

/** Where posts that wait are shown, and whose answers count there. */
function ReviewFields({ form, isOwner }: { form: UseFormReturnType<Values>; isOwner: boolean }) {
  const { reviewGroup } = form.values;
  return (
    <>
      <GroupSelect
        label={t('approvals.rules.reviewGroup')}
        description={t('approvals.rules.reviewNote')}
        placeholder={t('approvals.rules.noReviewGroup')}
        chosen={reviewGroup ?? undefined}
        choose={(group) => form.setFieldValue('reviewGroup', toReviewGroup(group))}
        isOffered={({ kind }) => kind !== 'channel'}
        readOnly={!isOwner}
        clearable={isOwner}
      />
      {isOwner && reviewGroup && <ApproverNumbers form={form} />}
    </>
  );
}

type ReviewGroup = { group_metadata_id: number; group_name: string };

interface Values {
  approval: Rules['approval'];
  overGroups: number | string;
  approvers: string;
  reviewGroup: ReviewGroup | null;
  /** By user. */
  numbers: Record<number, string>;
}

function toValues(rules: Rules): Values {
  const { approval, over_groups: overGroups, approvers, review_group_id: id, review_group_name: name } = rules;
  return {
    approval,
    overGroups,
    approvers: String(approvers),
    reviewGroup: id === null ? null : { group_metadata_id: id, group_name: name ?? '' },
    numbers: Object.fromEntries(
      (rules.phone_approvers ?? []).map(({ user_id, whatsapp_number }) => [user_id, `+${whatsapp_number}`]),
    ),
  };
}

/** Without what the list of groups knows more of it. */
const toReviewGroup = (group: ReviewGroup | undefined): ReviewGroup | null =>
  group ? { group_metadata_id: group.group_metadata_id, group_name: group.group_name } : null;

function toWire({ approval, overGroups, approvers, reviewGroup, numbers }: Values) {
  const given = Object.entries(numbers).filter(([, number]) => number.trim() !== '');
  return {
    approval,
    over_groups: Number(overGroups) || 0,
    approvers: Number(approvers),
    review_group_id: reviewGroup?.group_metadata_id ?? ('none' as const),
    phone_approvers: given.map(([userId, number]) => ({ user_id: Number(userId), whatsapp_number: number })),
  };
}

/** The numbers of those who may decide: their answers in the review group count. */
function ApproverNumbers({ form }: { form: UseFormReturnType<Values> }) {
  const { data } = useQuery(membersQuery);
  const mayDecide = ({ role }: Member) => role === 'manager' || role === 'owner';
  const { numbers } = form.values;
  return (
    <Stack gap="xs">
      {(data?.members ?? []).filter(mayDecide).map((member) => (
        <TextInput
          key={member.user_id}
          type="tel"
          label={t('approvals.rules.numberOf', { name: memberName(member) })}
          value={numbers[member.user_id] ?? ''}
          onChange={({ currentTarget }) =>
            form.setFieldValue('numbers', { ...numbers, [member.user_id]: currentTarget.value })
          }
        />
      ))}
      <Text size="sm" c="dimmed">
        {t('approvals.rules.noNumber')}
      </Text>
    </Stack>
  );
}
