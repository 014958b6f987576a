/** The rules that the form of a schedule builds. */
import { describe, expect, test, vi } from 'vitest';
import { diffDraft } from '../../web/campaigns/edit/diff-draft.ts';
import { emptyDraft, type Draft } from '../../web/compose/draft.ts';
import { describeRule, ORDINALS, readMonthly, writeMonthly } from '../../web/compose/rule.ts';
import { listDays } from '../../web/compose/schedule-days.ts';
import { applyPreset, findPreset } from '../../web/compose/schedule-presets.ts';
import { toCampaignBody } from '../../web/compose/campaign-body.ts';

vi.hoisted(() => {
  const nothing = { getItem: () => null, setItem: () => undefined, removeItem: () => undefined };
  Object.defineProperty(globalThis, 'localStorage', { value: nothing, configurable: true });
});

const draft = (change: Partial<Draft> = {}): Draft => ({
  ...emptyDraft('Europe/Berlin'),
  isScheduled: true,
  startDate: '2031-03-03',
  ...change,
});

describe('a rule of the month', () => {
  test('is read as it was written, for each place and day', () => {
    for (const ordinal of ORDINALS)
      for (const day of [0, 1, 2, 3, 4, 5, 6, 7])
        expect(readMonthly(writeMonthly({ ordinal, day }))).toEqual({ ordinal, day });
    expect(writeMonthly({ ordinal: '1', day: 1 })).toBe('FREQ=MONTHLY;BYDAY=1MO');
    expect(writeMonthly({ ordinal: 'last', day: 0 })).toBe('FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1');
  });

  test.each([
    'FREQ=MONTHLY',
    'FREQ=MONTHLY;BYDAY=5MO',
    'FREQ=MONTHLY;BYDAY=1XX',
    'FREQ=MONTHLY;BYDAY=1MO\nEXDATE:20310407T090000',
    '',
  ])('is none of %j', (recurrence) => expect(readMonthly(recurrence)).toBeUndefined());
});

describe('a preset', () => {
  test('of the month begins with the weekday of the first day, and has no end', () => {
    const days = applyPreset('monthly', draft({ endDate: '2031-03-20' }), '2031-03-01');
    expect(days).toMatchObject({
      recurrence: 'FREQ=MONTHLY;BYDAY=1MO',
      endDate: null,
      weekdays: [1, 2, 3, 4, 5, 6, 7],
    });
    expect(findPreset(days)).toBe('monthly');
  });

  test('of days ends a rule, and gets an end again', () => {
    const days = applyPreset('daily', draft({ recurrence: 'FREQ=DAILY;BYHOUR=9,15' }), '2031-03-01');
    expect(days).toMatchObject({ recurrence: null, endDate: '2031-03-09' });
    expect(findPreset(draft({ recurrence: 'FREQ=DAILY;BYHOUR=9,15' }))).toBe('rule');
  });
});

test('a rule without an end is sent without a last day, and days with one', () => {
  expect(toCampaignBody(draft({ recurrence: 'FREQ=WEEKLY' }), 'x')).toMatchObject({
    recurrence: 'FREQ=WEEKLY',
    end_date: null,
  });
  const plain = toCampaignBody(draft(), 'x');
  expect(plain).toMatchObject({ end_date: '2031-03-03' });
  expect(plain).not.toHaveProperty('recurrence');
});

test('a change of a rule comes with its end, and the end of a rule with the last day', () => {
  const rule = draft({ recurrence: 'FREQ=WEEKLY', endDate: '2031-06-30' });
  expect(diffDraft(rule, { ...rule, recurrence: 'FREQ=DAILY' })).toEqual({
    recurrence: 'FREQ=DAILY',
    end_date: '2031-06-30',
  });
  expect(diffDraft(rule, { ...rule, endDate: null })).toEqual({ recurrence: 'FREQ=WEEKLY' });
  expect(diffDraft(rule, { ...rule, recurrence: null, endDate: '2031-03-10' })).toEqual({
    recurrence: '',
    end_date: '2031-03-10',
  });
  expect(diffDraft(rule, rule)).toEqual({});
});

test('days to leave out are those of the next year without an end', () => {
  expect(listDays(draft({ recurrence: 'FREQ=WEEKLY' }))).toHaveLength(366);
});

describe('in words', () => {
  test('says which day of the month, or the rule itself', () => {
    const when = { from: '2031-03-03', to: null, time: '09:00:00', zone: 'Europe/Berlin' };
    expect(describeRule('FREQ=MONTHLY;BYDAY=-1FR', when)).toMatch(/^Last Fri of each month, from .* on, at/);
    expect(describeRule('FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=1', when)).toMatch(
      /^First working day of each month/,
    );
    expect(describeRule('FREQ=DAILY;BYHOUR=9,15', { ...when, to: '2031-06-30' })).toMatch(
      /^FREQ=DAILY;BYHOUR=9,15, from .* to /,
    );
  });
});
