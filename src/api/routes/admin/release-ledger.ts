import type { Database } from '../../../platform/database/connect.ts';
import { endHold } from '../../../operations/hold/manage-hold.ts';
import { resumeLedgerBody } from '../../contract/hold.ts';
import { nothingData } from '../../contract/users.ts';
import { tokenOf } from '../../server/auth.ts';
import { defineOperation, type Operation } from '../../operation.ts';

export function resumeLedgerOperation({ db }: { db: Database }): Operation {
  return defineOperation({
    path: '/api/v1/admin/release_ledger',
    access: 'bearer',
    scope: 'token',
    tag: 'Administration',
    summary: 'Let a ledger send that is held',
    description:
      'For administrators, as `campanile release` does. A wrong `password`, which is your own, is a 400 on that field. A 409, with nothing done, while a campaign with something queued has no choice, and where the ledger is not held. With much queued it takes its time; who does not wait for the answer has it done all the same.',
    body: resumeLedgerBody,
    data: nothingData,
    errors: [409],
    async handle({ body, caller, actor }) {
      const choices = new Map(body.choices.map((one) => [one.campaign_id.toLowerCase(), one.choice]));
      await endHold(db, actor, { token: tokenOf(caller), password: body.password, choices, others: body.others });
      return {};
    },
  });
}
