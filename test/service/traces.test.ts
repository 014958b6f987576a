import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestApp } from '../support/app.ts';
import { until } from '../support/ledger.ts';
import { doMainJob } from '../support/service/main-job.ts';
import { removeService, startService, type Service } from '../support/service/service.ts';
import { signUpSender } from '../support/service/storm.ts';
import { post } from '../support/app.ts';

const SDK = join(import.meta.dirname, '../../deploy/monitoring/tracing.mjs');
const CALLERS_TRACE = '0af7651916cd43dd8448eb211c80319c';
const CALLERS_SPAN = 'b7ad6b7169203331';

interface Span {
  name: string;
  kind: number;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  links?: Array<{ traceId: string; spanId: string }>;
  attributes: Array<{ key: string; value: { stringValue?: string; intValue?: number | string } }>;
}

describe('with the OpenTelemetry SDK, loaded as documented', () => {
  const spans: Span[] = [];
  const bodies: string[] = [];
  let collector: Server;
  let service: Service;
  beforeAll(async () => {
    collector = createServer((request, response) => {
      void text(request).then((body) => {
        bodies.push(body);
        for (const { scopeSpans } of (
          JSON.parse(body) as { resourceSpans: Array<{ scopeSpans: Array<{ spans: Span[] }> }> }
        ).resourceSpans)
          for (const scope of scopeSpans) spans.push(...scope.spans);
        response.end('{}');
      });
    }).listen(0, '127.0.0.1');
    await once(collector, 'listening');
    const { port } = collector.address() as AddressInfo;
    service = await startService({
      environment: {
        NODE_OPTIONS: `--import=${SDK}`,
        OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
        OTEL_SERVICE_NAME: 'campanile test',
        SANDBOX_SPEED: '1000',
      },
    });
  });
  afterAll(async () => {
    await service.stop();
    await removeService(service);
    collector.close();
  });

  const named = (name: string) => spans.filter((span) => span.name === name);
  const attribute = (span: Span | undefined, name: string) =>
    Object.values(span?.attributes.find(({ key }) => key === name)?.value ?? {})[0];

  test('traces a request to its run, its attempts and its receipts', async () => {
    await doMainJob(service.url);
    await until(
      () => Promise.resolve(named('record receipts')),
      (found) => found.length > 0,
    );
    const [request] = named('POST /api/v1/venom/add-campaign');
    expect(attribute(request, 'http.route')).toBe('/api/v1/venom/add-campaign');
    expect(attribute(request, 'http.response.status_code')).toBe(200);
    const [run] = named('begin run');
    expect(run).toMatchObject({ traceId: request?.traceId, parentSpanId: request?.spanId });
    for (const name of ['send sandbox', 'record receipts'])
      for (const span of named(name)) expect(span).toMatchObject({ traceId: run?.traceId, parentSpanId: run?.spanId });
    const [sent] = named('send sandbox');
    expect(attribute(sent, 'campanile.run.id')).toBe(attribute(run, 'campanile.run.id'));
    expect(attribute(sent, 'messaging.batch.message_count')).toBe(attribute(sent, 'campanile.attempts.sent'));
  });

  test('continues the trace of the caller (traceparent)', async () => {
    const traceparent = `00-${CALLERS_TRACE}-${CALLERS_SPAN}-01`;
    const { status } = await fetch(`${service.url}/api/v1/user/get_profile`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', traceparent },
      body: '{}',
    });
    expect(status).toBe(401);
    await until(
      () => Promise.resolve(spans.filter(({ traceId }) => traceId === CALLERS_TRACE)),
      ([span]) => span?.parentSpanId === CALLERS_SPAN,
    );
  });

  test('traces contain neither content nor personal data', async () => {
    const { token } = await signUpSender(service.url, 'alice');
    const call = (path: string, body: object = {}) => post(service.url, path, body, token);
    const listed = (await call('venom/list-groups')).body.data as unknown as {
      groups: Array<{ group_metadata_id: number }>;
    };
    const before = named('send sandbox').length;
    await call('venom/add-campaign', {
      name: 'Zanzibar',
      html: 'Quetzalcoatl',
      group_metadata_ids: listed.groups.map((group) => group.group_metadata_id),
    });
    await until(
      () => Promise.resolve(named('send sandbox')),
      (found) => found.length > before,
    );
    // Ids of traces and spans are random hex, which can hold any digits.
    const all = bodies.join('').replaceAll(/"(?:traceId|(?:parentS|s)panId)":"[\da-f]+"/g, '');
    for (const secret of ['Zanzibar', 'Quetzalcoatl', 'alice', token, '4915']) expect(all).not.toContain(secret);
  });
});

test('without an SDK, creates and stores no trace', async () => {
  const app = await startTestApp();
  try {
    const alice = await app.signUp('alice');
    const { groups } = (await alice.call<{ groups: Array<{ group_metadata_id: number }> }>('venom/list-groups')).body
      .data;
    const ids = groups.map((group) => group.group_metadata_id);
    await alice.call('venom/add-campaign', { name: 'Fair', html: 'Hello', group_metadata_ids: ids });
    const runs = await until(
      () => app.database.db.selectFrom('runs').select(['traceparent', 'sent', 'queued']).execute(),
      ([run]) => run?.queued === 0,
    );
    expect(runs).toMatchObject([{ traceparent: null, sent: ids.length }]);
    expect(await app.database.db.selectFrom('campaigns').select('traceparent').execute()).toEqual([
      { traceparent: null },
    ]);
  } finally {
    await app.stop();
  }
});
