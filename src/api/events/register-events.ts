import type { FastifyInstance, FastifyReply, onRequestHookHandler } from 'fastify';
import type { Registry } from 'prom-client';
import type { z } from 'zod';
import { addCounter, addGauge } from '../../operations/metrics.ts';
import type { Log } from '../../platform/log/log.ts';
import { eventsOperation } from '../contract/events.ts';
import { watchProgress, type EventSource } from './watch-progress.ts';

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
  const cutOff = 'Clients of live progress that were cut off because they read too slowly';
  const dropped = addCounter(metrics, 'campanile_event_streams_dropped_total', cutOff);
  const watch = watchProgress({ ...source, log, onDrop: () => dropped.inc() });
  addGauge(metrics, 'campanile_event_streams', 'Clients that listen to live progress', watch.count);
  server.addHook('preClose', (done) => {
    watch.end();
    done();
  });
  server.addHook('onClose', () => watch.stop());
  server.route({
    method: 'GET',
    url: eventsOperation.path,
    exposeHeadRoute: false,
    schema: { querystring: eventsOperation.query, headers: eventsOperation.headers },
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
      const { last_event_id: lastHeard } = request.query as z.output<typeof eventsOperation.query>;
      const { 'last-event-id': lastEventId = lastHeard } = request.headers as z.output<typeof eventsOperation.headers>;
      beginStream(reply);
      watch.add(reply.raw, { caller, lastEventId });
    },
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
