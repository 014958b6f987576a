/** A thread that keeps a number of requests of one user in flight until it is terminated, whatever the answers are. */
import { workerData } from 'node:worker_threads';
import autocannon from 'autocannon';

export interface Flood {
  url: string;
  token: string;
  operation: string;
  body: object;
  inFlight: number;
}

const LONGER_THAN_ANY_BENCH_SECONDS = 600;

const { url, token, operation, body, inFlight } = workerData as Flood;
await autocannon({
  url: `${url}/api/v1/${operation}`,
  method: 'POST',
  headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
  body: JSON.stringify(body),
  duration: LONGER_THAN_ANY_BENCH_SECONDS,
  connections: inFlight,
});
