import type { FastifyInstance, FastifyReply, onRequestHookHandler } from 'fastify';
import { Counter, Gauge, type Registry } from 'prom-client';
import { z } from 'zod';
import type { Database } from '../../platform/database/connect.ts';
import type { Notifications } from '../../platform/database/listen.ts';
import type { OnLoopError } from '../../platform/concurrency/failure-streak.ts';
import type { Log } from '../../platform/log/log.ts';
import type { Clock } from '../../platform/time/time.ts';
import { eventsOperation, streamedEvent } from '../contract/events.ts';
import { securityOf } from '../server/openapi.ts';
import { WATCH_LIMITS, watchProgress, type WatchLimits } from './watch-progress.ts';

/** The source of live progress. */
export interface EventSource {
  db: Database;
  clock: Clock;
  notifications?: Pick<Notifications, 'on'>;
  limits?: Partial<WatchLimits>;
  onLoopError?: OnLoopError;
}

const { path: PATH, access } = eventsOperation;

const DESCRIPTION = `A stream of server-sent events. Each connection begins with a snapshot: \`account\`, and \`campaign\` for each campaign that has not ended, or ended within the last hour. Changes follow, at most two a second per campaign; they include the end of a campaign, and receipts within a day of it. Lines that begin with a colon keep the connection alive.

Each event of the workspace is sent once, in order, as \`message\`, with the same \`data\` as a webhook receives. Failed deliveries, groups, replies and reactions are included if a webhook of the workspace subscribes to them.

**Resuming**: a client that reconnects with the last \`id\` in \`Last-Event-ID\` first gets the events since then, for 24 hours. After that, or for an unknown id, it gets \`expired\`: discard what you know, the snapshot that follows is complete. An \`id\` without an event is only a position to resume from. Browsers' \`EventSource\` reconnects in this way; for the first connection, where it cannot set the header, use \`last_event_id\`.

A client that reads too slowly is disconnected, and can resume. The stream ends when its token or API key expires.

Scope: \`read\`. Role: \`analyst\`.`;

const LAST_ID = 'The last `id` received. The header takes precedence over the query parameter.';
const WORKSPACE =
  'The id of a workspace. Without it your default workspace is meant. The header takes precedence over the query parameter.';
const querystring = z.object({
  last_event_id: z.string().optional().meta({ description: LAST_ID }),
  workspace: z.string().optional().meta({ description: WORKSPACE }),
});
const headers = z.looseObject({
  'last-event-id': z.string().optional().meta({ description: LAST_ID }),
  'x-workspace': z.string().optional().meta({ description: WORKSPACE }),
});

const SCHEMA = {
  operationId: 'events',
  tags: ['Events'],
  summary: 'Stream live events',
  description: DESCRIPTION,
  security: securityOf(access),
  querystring,
  headers,
  response: {
    200: { description: 'The event stream', content: { 'text/event-stream': { schema: streamedEvent } } },
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
    /** The hooks that authenticate the caller. */
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
        if (request.caller) watch.assertStreamLimit(request.caller);
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

/** Sends the head of an answer that lasts until the client disconnects. */
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
