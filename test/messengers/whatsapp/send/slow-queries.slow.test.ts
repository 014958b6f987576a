/** Slow queries before a post do not make its outcome uncertain. */
import { expect, test } from 'vitest';
import { sleep } from '../../../../src/platform/time/time.ts';
import { allOnce, sendCampaign, timesShown } from '../../../support/whatsapp.ts';
import { setWhatsAppScene } from '../../../support/whatsapp-scene.ts';

const ANSWER_MS = 1_000;
const scene = await setWhatsAppScene({ answerMs: ANSWER_MS });
const { peer, linked, finished } = scene;

test('sends a post once when the queries before it take longer than its acknowledgement may', async () => {
  const { person, groups } = await linked(1);
  peer.script.refuseQuery = async ({ namespace, action }) => {
    if (namespace === 'usync' || action === 'key') await sleep(2 * ANSWER_MS);
    return undefined;
  };
  let left = 0;
  peer.script.judge = () => {
    left += 1;
    return 'accept';
  };
  const { totals } = await finished(person, await sendCampaign(person, groups, 'in good time'));
  expect(totals).toMatchObject({ sent: 1, failed: 0 });
  expect(left).toBe(1);
  expect(timesShown(peer, 'in good time')).toEqual(allOnce(1));
});
