import { Checkbox, Code, Fieldset, Input, SimpleGrid, Stack } from '@mantine/core';
import { useId, type ReactNode } from 'react';
import { words } from '../words/words.ts';
import { EVENT_KINDS, EVENTS, eventsOf, type EventKind } from './event-kinds.ts';
import classes from './webhooks.module.css';

interface Choice {
  value: readonly string[];
  onChange: (value: string[]) => void;
}

/** The events of a webhook: all, or a selection. */
export function EventsField({ value, onChange, error }: Choice & { error: ReactNode }) {
  const errorId = useId();
  const isAll = EVENTS.every((event) => value.includes(event));
  return (
    <Fieldset
      legend={words.webhooks.tellOf}
      variant="unstyled"
      className={classes.events}
      {...(Boolean(error) && { 'aria-describedby': errorId })}
    >
      <Stack gap="md">
        <Checkbox
          label={words.webhooks.everything}
          checked={isAll}
          indeterminate={!isAll && value.length > 0}
          onChange={(event) => onChange(event.currentTarget.checked ? [...EVENTS] : [])}
        />
        {EVENT_KINDS.map((kind) => (
          <Kind key={kind} kind={kind} value={value} onChange={onChange} />
        ))}
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
  const pick = (event: string, isPicked: boolean) =>
    onChange(isPicked ? [...value, event] : value.filter((one) => one !== event));
  return (
    <Fieldset legend={words.webhooks.kinds[kind]} variant="unstyled" className={classes.kind}>
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md" verticalSpacing={10}>
        {eventsOf(kind).map((event) => (
          <Checkbox
            key={event}
            label={words.webhooks.events[event]}
            description={<Code className={classes.code}>{event}</Code>}
            checked={value.includes(event)}
            onChange={(changed) => pick(event, changed.currentTarget.checked)}
          />
        ))}
      </SimpleGrid>
    </Fieldset>
  );
}
