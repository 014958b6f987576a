/** Queries about groups that WhatsApp does not answer. */
import { expect, test } from 'vitest';
import { setWhatsAppScene } from '../../../support/whatsapp-scene.ts';

const { peer, linked } = await setWhatsAppScene({ queryMs: 300 });

interface Listed {
  groups: Array<{ group_metadata_id: number; name: string }>;
}

test('keeps all groups when WhatsApp does not answer the query for them', async () => {
  const { person, groups } = await linked(2);
  const list = async () => (await person.call<Listed>('venom/list-groups', { limit: 500 })).body.data.groups;
  const before = await list();
  expect(before.map(({ group_metadata_id }) => group_metadata_id).toSorted()).toEqual(groups.toSorted());
  peer.script.refuseQuery = ({ action }) => (action === 'participating' ? 'silence' : undefined);
  const { status, body } = await person.call('venom/sync-groups');
  expect({ status, body }).toMatchObject({ status: 503, body: { error_code: 'outcome_unknown' } });
  expect(await list()).toEqual(before);
});
