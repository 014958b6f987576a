/** A held ledger (contract §4). */
import { z } from 'zod';
import { campaignId } from './campaigns.ts';
import { defineOperations } from './define-operations.ts';
import { count, currentPassword, instant, optional, withDefault, named, list } from './fields.ts';

/** Maximum number of campaigns in one answer, and in one body. */
export const MOST_QUEUED = 1_000;

const choice = z.enum(['send', 'unknown']).meta({
  id: 'HoldChoice',
  description:
    '`send`: sends the queued posts, without those of runs over 6 hours late; in groups under their original message ids, in channels unless they are already there. `unknown`: sends none of them; they fail as `outcome_unknown` until a receipt proves otherwise.',
});

const queuedCampaign = z.object({
  campaign_id: campaignId,
  name: z.string(),
  user_name: z.string(),
  is_paused: z.boolean().describe('With `send`, its posts wait until it is resumed.'),
  queued: count,
  begun: count,
  due_since: instant.nullable(),
  late_posts: count,
  last_sent_at: instant.nullable().describe('As far as known.'),
});

const heldPart = named('HeldPart', {
  campaigns: count,
  posts: count,
  since: instant.nullable(),
  late_runs: count,
  late_posts: count,
});

const shared = { tag: 'Administration', access: 'token', role: 'none' } as const;

export const hold = defineOperations(shared, {
  listQueued: {
    path: '/api/v1/admin/list_queued',
    idempotency: 'always',
    summary: 'List the queued campaigns of a held ledger',
    description:
      'For administrators. The first 1,000 campaigns, in the order of acceptance. 409 unless the ledger is held.',
    data: z.object({
      held_since: instant,
      served_at: instant.nullable().describe('The time of the backup.'),
      reason: z.string(),
      begun: heldPart,
      fell_due: heldPart,
      made_since: heldPart,
      campaigns: z.array(queuedCampaign),
      left_out: count.describe('Number of further campaigns. `others` of `release_ledger` applies to them.'),
    }),
    errors: ['admin_required', 'ledger_not_held'],
  },
  resumeLedger: {
    path: '/api/v1/admin/release_ledger',
    summary: 'Resume a held ledger',
    description:
      'For administrators: has the effect of `campanile release`. 409, without any change, while a campaign with queued posts has no choice, and if the ledger is not held. An incorrect `password` is a 400 on that field.',
    body: named('ReleaseLedger', {
      choices: withDefault(list(z.object({ campaign_id: campaignId, choice }), MOST_QUEUED), []).describe(
        'One choice per campaign. Campaigns without queued posts are ignored.',
      ),
      others: optional(choice).describe('The choice for all campaigns that are not in `choices`.'),
      password: currentPassword,
    }),
    errors: ['admin_required', 'ledger_not_held', 'release_incomplete', 'too_many_attempts', 'sign_ins_busy'],
  },
});
