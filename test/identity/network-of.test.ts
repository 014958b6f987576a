import { expect, test } from 'vitest';
import { networkOf } from '../../src/identity/sign-in/known-networks.ts';

test.for([
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:db8:1:2::6', '2001:db8:1:2::/64'],
  ['2001:db8::6', '2001:db8:0:0::/64'],
  ['2001::4:5:6:7:8:9', '2001:0:4:5::/64'],
  ['::1', '0:0:0:0::/64'],
  ['::', '0:0:0:0::/64'],
  ['192.0.2.7', '192.0.2.7'],
  ['::ffff:192.0.2.7', '::ffff:192.0.2.7'],
  ['2001:0db8::1:2', '2001:db8:0:0::/64'],
  ['2001:db8:0:1::', '2001:db8:0:1::/64'],
  ['user 7', 'user 7'],
])('%s belongs to the network %s', ([address, network]) => {
  expect(networkOf(address ?? '')).toBe(network);
});
