import type { FastifyInstance, FastifyReply, onRequestHookHandler } from 'fastify';
import { Counter, Gauge, type Registry } from 'prom-client';
import { z } from 'zod';
import type { Database } from '../../platform/database/connect.ts';
import type { Notifications } from '../../platform/database/listen.ts';
import type { OnLoopError } from '../../platform/concurrency/failure-streak.ts';
import type { Log } from '../../platform/log/log.ts';
import type { Clock } from '../../platform/time/time.ts';
import { streamedEvent } from '../contract/events.ts';
import { failureResponses } from '../server/openapi.ts';
import { WATCH_LIMITS, watchProgress, type WatchLimits } from './watch-progress.ts';

/** What live progress is told from. */
export interface EventSource {
  db: Database;
  clock: Clock;
  notifications?: Pick<Notifications, 'on'>;
  limits?: Partial<WatchLimits>;
  onLoopError?: OnLoopError;
}

const PATH = '/api/v1/events';
const FAILURES = [400, 401, 403, 429, 500, 503];

const DESCRIPTION = `A stream of server-sent events, for as long as you listen. On each connect a snapshot comes first: \`account\`, and \`campaign\` for each campaign that has not ended, or has within the last hour. Then, at most twice a second for each campaign, whatever has changed; also how a campaign ended, and what members do within a day of that. Lines that begin with a colon only keep the connection open.

What happens is told as \`message\`, each once and in order, with the same \`data\` as a webhook is told it; failed posts, groups, replies and reactions where a webhook of the workspace wants them. Whoever connects again with the last \`id\` in \`Last-Event-ID\` is first told what happened meanwhile, for 24 hours. After that, or with an id that is none, \`expired\` comes instead: what you know may be out of date, and the snapshot that follows is all there is. An \`id\` without an event only says from where you can go on. So browsers' \`EventSource\` does; it cannot send the header by itself at first, which is what \`last_event_id\` is for.

A client that reads too slowly is cut off, and goes on in the same way. The stream ends with its token or key.

An API key needs the scope \`read\`.`;

const LAST_ID = 'The last `id` that was heard. The header counts where there are both.';
const querystring = z.object({ last_event_id: z.string().optional().meta({ description: LAST_ID }) });
const headers = z.looseObject({ 'last-event-id': z.string().optional().meta({ description: LAST_ID }) });

const SCHEMA = {
  operationId: 'events',
  tags: ['Events'],
  summary: 'Listen to your own progress',
  description: DESCRIPTION,
  security: [{ bearer: [] }],
  querystring,
  headers,
  response: {
    200: { description: 'The stream', content: { 'text/event-stream': { schema: streamedEvent } } },
    ...failureResponses(FAILURES),
  },
};

/** Adds `GET /api/v1/events` (contract §4). The streams end when the server closes, and it does not wait for them. */
export function registerEvents(
  server: FastifyInstance,
  {
    source,
    onRequest,
    metrics,
    log,
  }: {
    source: EventSource;
    /** What settles who asks. */
    onRequest: onRequestHookHandler[];
    metrics: Registry;
    log: Log;
  },
): void {
  const { limits, ...from } = source;
  const watch = watchProgress({ ...from, log, limits: { ...WATCH_LIMITS, ...limits }, onDrop: countDropped(metrics) });
  showOpen(metrics, watch.count);
  server.addHook('preClose', (done) => {
    watch.end();
    done();
  });
  server.addHook('onClose', () => watch.stop());
  server.route({
    method: 'GET',
    url: PATH,
    exposeHeadRoute: false,
    schema: SCHEMA,
    onRequest: [
      ...onRequest,
      (request, _reply, done) => {
        if (request.caller) watch.assertDiskSpace(request.caller);
        done();
      },
    ],
    handler(request, reply) {
      const { caller } = request;
      if (!caller) throw new Error('live progress was reached without a caller');
      // An EventSource that comes back has the header, and the address of its first time.
      const { last_event_id: lastHeard } = request.query as z.output<typeof querystring>;
      const { 'last-event-id': lastEventId = lastHeard } = request.headers as z.output<typeof headers>;
      beginStream(reply);
      watch.add(reply.raw, { caller, lastEventId });
    },
  });
}

function countDropped(metrics: Registry): () => void {
  const dropped = new Counter({
    name: 'campanile_event_streams_dropped_total',
    help: 'Clients of live progress that were cut off because they read too slowly',
    registers: [metrics],
  });
  return () => dropped.inc();
}

function showOpen(metrics: Registry, count: () => number): void {
  const open: Gauge = new Gauge({
    name: 'campanile_event_streams',
    help: 'Clients that listen to live progress',
    registers: [metrics],
    collect: () => open.set(count()),
  });
}

/** Sends the head of an answer that goes on for as long as somebody listens. */
function beginStream(reply: FastifyReply): void {
  reply.headers({
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store, no-transform',
    // nginx would keep events back until there are enough of them.
    'x-accel-buffering': 'no',
  });
  reply.hijack();
  for (const [name, value] of Object.entries(reply.getHeaders()))
    if (value !== undefined) reply.raw.setHeader(name, value);
  reply.raw.writeHead(200).flushHeaders();
}
