/**
 * Prints your own progress as it happens, a line for each change, until it is interrupted.
 *
 *   USER_NAME=… PASSWORD=… node_modules/.bin/node examples/watch.ts
 *
 * BASE, USER_NAME and PASSWORD: see sign-in.ts.
 */
import { signIn } from './sign-in.ts';

const campanile = await signIn();
for await (const one of campanile.events()) {
  switch (one.event) {
    case 'connected':
      console.log('listening');
      break;
    case 'message':
      console.log(`${one.data.timestamp} ${one.data.type}`);
      break;
    case 'expired':
      console.log('away for too long: what happened meanwhile is not told');
      break;
    case 'account':
      console.log(`${one.data.messenger} is ${one.data.status}`);
      break;
    case 'campaign': {
      const { name, status, progress } = one.data;
      const readers = progress.read === null ? '' : `, ${progress.read} have read it`;
      console.log(`${name}: ${status}, sent to ${progress.sent} of ${progress.deliveries}${readers}`);
      break;
    }
    case 'campaign_deleted':
      console.log(`${one.data.campaign_id} is deleted`);
      break;
    default:
      one satisfies never;
  }
}
