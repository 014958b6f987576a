import type { Log } from '../../../platform/log/log.ts';
import type { Client } from '../client/client.ts';
import type { Cooldown } from './cooldown.ts';
import type { Warnings } from './warnings.ts';

/** Returns a function that asks WhatsApp whether the account is restricted, and for how long. The answer arrives as a restriction. */
export function createRestrictionQuery(online: () => Client | undefined, log: Log): () => void {
  return () => {
    online()
      ?.requestRestriction()
      .catch((error: unknown) => {
        log.debug({ err: error }, 'WhatsApp does not say how long an account is restricted');
      });
  };
}

/**
 * Wraps a cool-down: when the account turns out to be restricted, WhatsApp is asked for how long, and again after each login, because
 * the end of the restriction may have been missed.
 */
export function withServerCooldown(
  cooldown: Cooldown,
  warnings: Pick<Warnings, 'isActive'>,
  ask: () => void,
): Cooldown {
  return {
    ...cooldown,
    begin(why) {
      if (why.cause === 'restricted') ask();
      return cooldown.begin(why);
    },
    report(state) {
      cooldown.report(state);
      const isRestricted = cooldown.now()?.cause === 'restricted' || warnings.isActive();
      if (state.status === 'connected' && isRestricted) ask();
    },
  };
}
