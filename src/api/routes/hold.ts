import { checkHold, endHold } from '../../operations/hold/manage-hold.ts';
import type { Database } from '../../platform/database/statements.ts';
import { MOST_QUEUED, type hold } from '../contract/hold.ts';
import type { Handlers } from '../operation.ts';
import { tokenOf } from '../server/auth.ts';

export const holdHandlers: Handlers<typeof hold, { db: Database }> = {
  async listQueued({ db }, { actor }) {
    const { since, queued, ...held } = await checkHold(db, actor);
    return {
      ...held,
      heldSince: since,
      campaigns: queued.slice(0, MOST_QUEUED),
      leftOut: Math.max(0, queued.length - MOST_QUEUED),
    };
  },

  resumeLedger({ db }, { body, caller, actor }) {
    const choices = new Map(body.choices.map((one) => [one.campaignId.toLowerCase(), one.choice]));
    return endHold(db, actor, { token: tokenOf(caller), password: body.password, choices, others: body.others });
  },
};
