import {
  Button,
  CloseButton,
  Fieldset,
  Group as Row,
  Modal,
  SegmentedControl,
  Select,
  Stack,
  Text,
  TextInput,
} from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import { call } from '../api/call.ts';
import type { Body, GroupList } from '../api/operations.ts';
import { groupListsQuery } from '../api/queries.ts';
import { useCancellableMutation } from '../api/use-cancellable-mutation.ts';
import { listNames } from '../format/list-names.ts';
import { t } from '../i18n/translate.ts';
import { ErrorText } from '../parts/error-alert.tsx';
import { Icon } from '../parts/icons.tsx';
import { DialogFoot, showSaved } from '../parts/save-bar.tsx';
import { fieldsQuery } from './fields/field-queries.ts';
import { KINDS } from './kinds.ts';

type Rule = NonNullable<Body<'venom/save-group-list'>['rule']>;
type WireCondition = NonNullable<Rule['all']>[number];
const ABOUT = ['kind', 'over', 'under', 'silent', 'active'] as const;
type About = (typeof ABOUT)[number] | 'field';

/** A condition as the dialog has it. */
interface Condition {
  key: number;
  about: About;
  /** The name of a field. */
  field: string;
  isNot: boolean;
  value: string;
  /** Of `over` in a rule that somebody else has made: also fewer members than that. */
  under?: number | null | undefined;
}

const NAME_LIMIT = 100;
const MOST_CONDITIONS = 10;
const NAMED = 8;
const WAIT_MS = 300;
const LABELS = {
  over: 'groups.ruleOver',
  under: 'groups.ruleUnder',
  silent: 'groups.ruleSilent',
  active: 'groups.ruleActive',
} as const;

/** Makes a list by rule, or changes one: its conditions as rows, and who meets them now. */
export default function RuleDialog({
  list,
  close,
  onSaved,
}: {
  list?: GroupList | undefined;
  close: () => void;
  onSaved?: ((listId: number) => void) | undefined;
}) {
  const form = useRuleForm(list, (id) => {
    close();
    onSaved?.(id);
  });
  const { name, setName, isAny, setAny, rule, isComplete, saving, isReady, submit } = form;
  return (
    <Modal
      opened
      onClose={close}
      size="lg"
      title={list ? t('groups.saveListTitle', { name: list.name }) : t('groups.ruleTitle')}
    >
      <form onSubmit={submit} noValidate>
        <Stack gap="sm">
          <Text size="sm" c="dimmed">
            {t('groups.ruleNote')}
          </Text>
          <TextInput
            label={t('groups.listName')}
            placeholder={t('groups.listNameHint')}
            maxLength={NAME_LIMIT}
            required
            data-autofocus
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <SegmentedControl
            aria-label={t('groups.ruleMatch')}
            value={isAny ? 'any' : 'all'}
            onChange={(value) => setAny(value === 'any')}
            data={[
              { value: 'all', label: t('groups.ruleAll') },
              { value: 'any', label: t('groups.ruleAny') },
            ]}
          />
          <Conditions form={form} />
          {isComplete && <Now rule={rule} />}
          <DialogFoot acting={saving} close={close} isReady={isReady} />
        </Stack>
      </form>
    </Modal>
  );
}

function Conditions({ form: { conditions, change, add, remove } }: { form: ReturnType<typeof useRuleForm> }) {
  return (
    <>
      {conditions.map((condition, index) => (
        <ConditionRow
          key={condition.key}
          number={index + 1}
          condition={condition}
          change={(next) => change(condition.key, next)}
          remove={() => remove(condition.key)}
        />
      ))}
      <Row>
        <Button
          size="compact-sm"
          variant="default"
          leftSection={<Icon name="plus" size={14} />}
          disabled={conditions.length >= MOST_CONDITIONS}
          onClick={add}
        >
          {t('groups.ruleAdd')}
        </Button>
      </Row>
    </>
  );
}

/** What is in the dialog, and the rule that it makes. */
function useRuleForm(list: GroupList | undefined, onSaved: (listId: number) => void) {
  const client = useQueryClient();
  const [name, setName] = useState(list?.name ?? '');
  const [isAny, setAny] = useState(Boolean(list?.rule?.any));
  const [conditions, setConditions] = useState(() => fromRule(list?.rule));
  const conditionsOfRule = conditions.map(toWire).filter((one) => one !== undefined);
  const rule: Rule = isAny ? { any: conditionsOfRule } : { all: conditionsOfRule };
  const isComplete = conditions.length > 0 && conditionsOfRule.length === conditions.length;
  const saving = useCancellableMutation({
    act: (_nothing: void, signal) =>
      call('venom/save-group-list', { name: name.trim(), rule, group_list_id: list?.group_list_id }, { signal }),
    onSuccess: async ({ group_list_id: id }) => {
      await client.invalidateQueries({ queryKey: groupListsQuery.queryKey });
      await client.invalidateQueries({ queryKey: ['groups'] });
      showSaved();
      onSaved(id);
    },
  });
  const change = (key: number, next: Partial<Condition>) =>
    setConditions(conditions.map((one) => (one.key === key ? { ...one, ...next } : one)));
  const add = () =>
    setConditions([...conditions, { ...NEW, key: Math.max(0, ...conditions.map(({ key }) => key)) + 1 }]);
  const isReady = isComplete && name.trim() !== '';
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isReady) saving.mutate();
  };
  const remove = (key: number) => setConditions(conditions.filter((one) => one.key !== key));
  return { name, setName, isAny, setAny, conditions, change, add, remove, rule, isComplete, saving, isReady, submit };
}

const NEW: Omit<Condition, 'key'> = { about: 'kind', field: '', isNot: false, value: 'group' };

function ConditionRow({
  number,
  condition,
  change,
  remove,
}: {
  number: number;
  condition: Condition;
  change: (next: Partial<Condition>) => void;
  remove: () => void;
}) {
  const { about, field, isNot, value } = condition;
  const { data: fields } = useQuery(fieldsQuery);
  const names = (fields ?? []).map((one) => one.name);
  const isGone = about === 'field' && fields !== undefined && !names.includes(field);
  const choose = (chosen: string | null) => {
    const next = ABOUT.find((one) => one === chosen);
    if (next) change({ about: next, field: '', value: next === 'kind' ? 'group' : '', under: undefined });
    else if (chosen !== null) change({ about: 'field', field: chosen.slice(FIELD.length), value: '' });
  };
  return (
    <Fieldset variant="unstyled" aria-label={t('groups.ruleCondition', { number })}>
      <Row gap="xs" align="flex-start">
        <Select
          aria-label={t('groups.ruleSubject')}
          data={[
            ...[...new Set([...names, ...(about === 'field' ? [field] : [])])].map((one) => ({
              value: FIELD + one,
              label: one,
            })),
            { value: 'kind', label: t('groups.kind') },
            ...(['over', 'under', 'silent', 'active'] as const).map((one) => ({ value: one, label: t(LABELS[one]) })),
          ]}
          value={about === 'field' ? FIELD + field : about}
          onChange={choose}
          allowDeselect={false}
          error={isGone && t('groups.ruleGone', { field })}
          flex="1 1 180px"
        />
        {about === 'field' && (
          <Select
            aria-label={t('groups.ruleCompare')}
            data={[
              { value: 'is', label: t('groups.ruleIs') },
              { value: 'is_not', label: t('groups.ruleIsNot') },
            ]}
            value={isNot ? 'is_not' : 'is'}
            onChange={(chosen) => change({ isNot: chosen === 'is_not' })}
            allowDeselect={false}
            w={110}
          />
        )}
        <ValueField about={about} value={value} change={(next) => change({ value: next })} />
        <CloseButton size="lg" aria-label={t('groups.ruleRemove', { number })} onClick={remove} />
      </Row>
    </Fieldset>
  );
}

function ValueField({ about, value, change }: { about: About; value: string; change: (value: string) => void }) {
  if (about === 'kind')
    return (
      <Select
        aria-label={t('groups.ruleValue')}
        data={KINDS.map((kind) => ({ value: kind, label: t(`kinds.${kind}`) }))}
        value={value}
        onChange={(chosen) => change(chosen ?? 'group')}
        allowDeselect={false}
        flex="1 1 120px"
      />
    );
  return (
    <TextInput
      aria-label={t('groups.ruleValue')}
      placeholder={about === 'field' ? t('groups.withoutValue') : ''}
      inputMode={about === 'field' ? 'text' : 'numeric'}
      value={value}
      onChange={(event) => change(event.currentTarget.value)}
      flex="1 1 120px"
    />
  );
}

/** How many groups meet the rule now, and their names. */
function Now({ rule }: { rule: Rule }) {
  const [asked] = useDebouncedValue(JSON.stringify(rule), WAIT_MS);
  const found = useQuery({
    queryKey: ['groups', 'rule', asked],
    queryFn: ({ signal }) =>
      call('venom/list-groups', { rule: JSON.parse(asked) as Rule, with_totals: true, limit: NAMED }, { signal }),
    placeholderData: keepPreviousData,
    retry: false,
  });
  const { data } = found;
  if (found.error) return <ErrorText error={found.error} />;
  const groups = data?.totals?.groups ?? 0;
  const names = (data?.groups ?? []).map((group) => group.group_name);
  const others = Array.from({ length: groups - names.length }, () => '');
  return (
    <Text size="sm" role="status">
      {data && t('groups.ruleNow', { groups, names: listNames([...names, ...others], NAMED) })}
    </Text>
  );
}

const FIELD = 'field:';

function fromRule(rule: GroupList['rule']): Condition[] {
  const known = rule?.all ?? rule?.any;
  if (!known) return [{ ...NEW, key: 1 }];
  return known
    .flatMap((one): Omit<Condition, 'key'>[] => {
      const { field, is, is_not, kind, members, silent_days: silent, active_days: active } = one;
      if (typeof field === 'string')
        return [{ about: 'field', field, isNot: typeof is !== 'string', value: is ?? is_not ?? '' }];
      const plain = (about: About, value: string | number) => ({
        about,
        field: '',
        isNot: false,
        value: String(value),
      });
      if (typeof kind === 'string') return [plain('kind', kind)];
      if (typeof silent === 'number') return [plain('silent', silent)];
      if (typeof active === 'number') return [plain('active', active)];
      const { over, under } = members ?? {};
      return typeof over === 'number' ? [{ ...plain('over', over), under }] : [plain('under', under ?? 0)];
    })
    .map((one, index) => ({ ...one, key: index + 1 }));
}

/** Undefined: it is not complete. */
function toWire({ about, field, isNot, value, under }: Condition): WireCondition | undefined {
  if (about === 'field') return { field, ...(isNot ? { is_not: value.trim() } : { is: value.trim() }) };
  if (about === 'kind') return { kind: value as (typeof KINDS)[number] };
  const figure = /^\d{1,8}$/.test(value.trim()) ? Number(value) : undefined;
  if (figure === undefined) return undefined;
  if (about === 'over') return { members: { over: figure, under } };
  if (about === 'under') return { members: { under: figure } };
  if (figure < 1 || figure > 90) return undefined;
  return about === 'silent' ? { silent_days: figure } : { active_days: figure };
}
