import type { Log } from '../../../platform/log/log.ts';
import type { Rest } from './cooldown.ts';
import type { Socket } from './socket.ts';

/**
 * The same rest, which asks WhatsApp for how long where it turns out that the account is restricted, and again when it is connected:
 * word that the restriction is over may have been missed meanwhile. The answer comes as a restriction that is told.
 */
export function withServerCooldown(rest: Rest, online: () => Socket | undefined, log: Log): Rest {
  async function ask(): Promise<void> {
    try {
      await online()?.client.fetchAccountReachoutTimelock();
    } catch (error) {
      log.debug({ err: error }, 'WhatsApp does not say how long an account is restricted');
    }
  }

  return {
    ...rest,
    begin(why) {
      if (why.cause === 'restricted') void ask();
      return rest.begin(why);
    },
    tell(state) {
      rest.tell(state);
      if (state.status === 'connected' && rest.now()?.cause === 'restricted') void ask();
    },
  };
}
