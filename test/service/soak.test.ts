import { expect, test } from 'vitest';
import { runSoak } from '../../soak/deliveries/run-soak.ts';

test('a short soak under random faults, with an account that is logged out, loses nothing, repeats nothing and counts correctly', async () => {
  const { campaigns, verdicts, survived, handedOver, faults, details } = await runSoak({
    seed: 7,
    ms: 4_000,
    least: { campaigns: 4, faults: 4, handedOver: 1 },
    senders: [
      { name: 'alice', groups: 4, paced: true },
      { name: 'carol', groups: 10, paced: false, hasSecond: true },
    ],
    pause: { minMs: 300, maxMs: 900 },
    behaviour: { delayMs: [0, 10], refuse: 0.01, refuseForGood: 0.01, breakOff: 0.005, receiptMs: 5_000 },
    brief: true,
  });
  expect({ details, faults: Object.entries(faults).filter(([, found]) => found > 0) }).toEqual({
    details: [],
    faults: [],
  });
  expect(campaigns).toBeGreaterThanOrEqual(4);
  expect(verdicts.accepted).toBeGreaterThan(10);
  expect(handedOver).toBeGreaterThan(0);
  expect([...survived.values()].reduce((sum, times) => sum + times, 0)).toBeGreaterThanOrEqual(4);
});

test('accounts go on at their pace after the ledger’s clock is set back by hours', async () => {
  const { campaigns, verdicts, survived, faults, details } = await runSoak({
    seed: 3,
    ms: 4_000,
    least: { campaigns: 6, faults: 3 },
    senders: [
      { name: 'alice', groups: 30, paced: true },
      { name: 'carol', groups: 10, paced: false },
    ],
    pause: { minMs: 300, maxMs: 900 },
    behaviour: { delayMs: [0, 10], refuse: 0.05, receiptMs: 5_000 },
    only: 'PostgreSQL: its clock set back by hours',
  });
  expect({ details, faults: Object.entries(faults).filter(([, found]) => found > 0) }).toEqual({
    details: [],
    faults: [],
  });
  expect(campaigns).toBeGreaterThanOrEqual(6);
  expect(verdicts.accepted).toBeGreaterThan(10);
  expect(survived.get('PostgreSQL: its clock set back by hours')).toBeGreaterThanOrEqual(3);
});
