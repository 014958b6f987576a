/** The wire of a ledger that is held (contract §4). */
import { z } from 'zod';
import { campaignBody } from './campaigns.ts';
import { optional, withDefault } from './fields.ts';
import { deleteUserBody } from './admin.ts';

/** So many campaigns are named in one answer, and in one body. */
export const MOST_QUEUED = 1_000;

const instant = z.string().meta({ format: 'date-time', description: 'ISO 8601, in UTC.' });
const choice = z.enum(['send', 'unknown']).meta({
  description:
    '`send`: sent, in groups under the ids of before, in channels where it is not found. `unknown`: never sent again by itself, `failed` for `outcome_unknown` until a receipt proves otherwise.',
});

export const listQueuedData = z.object({
  held_since: instant,
  reason: z.string(),
  campaigns: z.array(
    z.object({
      campaign_id: campaignBody.shape.campaign_id,
      name: z.string(),
      user_name: z.string().meta({ description: 'Whose it is.' }),
      queued: z.number().int().meta({ description: 'Posts.' }),
      last_sent_at: instant.nullable().meta({ description: 'When it is last known to have sent; `null`: never.' }),
    }),
  ),
  left_out: z.number().int().meta({ description: 'How many campaigns more there are: `others` is for them.' }),
});

export const resumeLedgerBody = z
  .object({
    choices: withDefault(
      z.array(z.object({ campaign_id: campaignBody.shape.campaign_id, choice })).max(MOST_QUEUED),
      [],
    ).meta({ description: 'By campaign; of one that has nothing queued any more it does nothing.' }),
    others: optional(choice).meta({ description: 'For every campaign that `choices` does not name.' }),
    password: deleteUserBody.shape.password,
  })
  .meta({ id: 'ReleaseLedger' });
