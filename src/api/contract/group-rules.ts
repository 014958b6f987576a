/** Rules by which a list has its groups (contract §4, group lists). */
import { z } from 'zod';
import { LONGEST_FIELD_NAME } from '../../content/fields/field-name.ts';
import { LONGEST_VALUE } from '../../content/fields/field-value.ts';
import { list, named, text } from './fields.ts';

export const groupKind = z.enum(['group', 'community', 'channel']).meta({ id: 'GroupKind' });

const days = z.int().min(1).max(90).nullish();
const members = z.int().min(0).nullish();
// The same in requests and answers, so without transforms.
const condition = named('RuleCondition', {
  field: text(1, LONGEST_FIELD_NAME).nullish(),
  is: text(0, LONGEST_VALUE).nullish().describe('Of tags, one of them. `""`: no value.'),
  is_not: text(0, LONGEST_VALUE).nullish(),
  kind: groupKind.nullish(),
  members: z.object({ over: members, under: members }).nullish(),
  silent_days: days,
  active_days: days,
  field_removed: z.boolean().nullish().describe('Its field was removed: no group meets it.'),
});
const MOST_CONDITIONS = 10;
const conditions = list(condition, MOST_CONDITIONS).min(1).nullish();

export const groupRule = z.object({ all: conditions, any: conditions }).meta({
  id: 'GroupRule',
  description: 'Groups that meet all or any of these conditions, each about one thing.',
  examples: [{ all: [{ field: 'Tags', is: 'Parents' }, { members: { over: 100 } }] }],
});
