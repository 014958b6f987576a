import { Checkbox, Code, Fieldset, Input, SimpleGrid, Stack } from '@mantine/core';
import { useId, type ReactNode } from 'react';
import type { EventFilter } from '../api/operations.ts';
import { t } from '../i18n/translate.ts';
import { EVENT_KINDS, eventsOf, familiesOf, isInWildcard, withFamily, type EventKind } from './event-kinds.ts';
import classes from './webhooks.module.css';

interface Choice {
  value: readonly EventFilter[];
  onChange: (value: EventFilter[]) => void;
}

/** The events of a webhook: all, families, or single types. A wildcard includes the types of later versions. */
export function EventsField({ value, onChange, error }: Choice & { error: ReactNode }) {
  const errorId = useId();
  const isAll = value.includes('*');
  return (
    <Fieldset
      legend={t('webhooks.tellOf')}
      variant="unstyled"
      className={classes.events}
      {...(Boolean(error) && { 'aria-describedby': errorId })}
    >
      <Stack gap="md">
        <Checkbox
          label={t('webhooks.everything')}
          description={<Code className={classes.code}>*</Code>}
          checked={isAll}
          indeterminate={!isAll && value.length > 0}
          onChange={(event) => onChange(event.currentTarget.checked ? ['*'] : [])}
        />
        {!isAll && EVENT_KINDS.map((kind) => <Kind key={kind} kind={kind} value={value} onChange={onChange} />)}
        {Boolean(error) && (
          <Input.Error id={errorId} role="alert">
            {error}
          </Input.Error>
        )}
      </Stack>
    </Fieldset>
  );
}

function Kind({ kind, value, onChange }: Choice & { kind: EventKind }) {
  const pick = (event: EventFilter, isPicked: boolean) =>
    onChange(isPicked ? [...value, event] : value.filter((one) => one !== event));
  return (
    <Fieldset legend={t(`webhooks.kinds.${kind}`)} variant="unstyled" className={classes.kind}>
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md" verticalSpacing={10}>
        {familiesOf(kind).map((family) => (
          <Checkbox
            key={family}
            label={t(`webhooks.families.${family}`)}
            description={<Code className={classes.code}>{family}.*</Code>}
            checked={value.includes(`${family}.*`)}
            onChange={(changed) => onChange(withFamily(value, family, changed.currentTarget.checked))}
          />
        ))}
        {eventsOf(kind).map((event) => (
          <Checkbox
            key={event}
            label={t(`webhooks.events.${event}`)}
            description={<Code className={classes.code}>{event}</Code>}
            checked={isInWildcard(event, value) || value.includes(event)}
            disabled={isInWildcard(event, value)}
            onChange={(changed) => pick(event, changed.currentTarget.checked)}
          />
        ))}
      </SimpleGrid>
    </Fieldset>
  );
}
