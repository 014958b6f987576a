import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { until } from '../support/ledger.ts';
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

  const ofPath = (path: string) =>
    spans.filter((span) => [attribute(span, 'url.path'), attribute(span, 'http.target')].includes(path));
  const attribute = (span: Span | undefined, name: string) =>
    Object.values(span?.attributes.find(({ key }) => key === name)?.value ?? {})[0];

  test('traces a request with its statements', async () => {
    const { token } = await signUpSender(service.url, 'bob');
    await post(service.url, 'venom/list-groups', {}, token);
    const [request] = await until(
      () => Promise.resolve(ofPath('/api/v1/venom/list-groups')),
      (found) => found.length > 0,
    );
    expect(JSON.stringify(attribute(request, 'http.response.header.x-request-id'))).toMatch(/"[\da-f-]{36}"/);
    const statements = await until(
      () =>
        Promise.resolve(spans.filter(({ traceId, name }) => traceId === request?.traceId && name.startsWith('pg.'))),
      (found) => found.length > 0,
    );
    expect(statements).not.toEqual([]);
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
    await call('venom/add-campaign', {
      name: 'Zanzibar',
      html: 'Quetzalcoatl',
      group_metadata_ids: listed.groups.map((group) => group.group_metadata_id),
    });
    await until(
      () => Promise.resolve(ofPath('/api/v1/venom/add-campaign')),
      (found) => found.length > 0,
    );
    // Ids of traces and spans are random hex, which can hold any digits, and so can the times and ports.
    const all = bodies
      .join('')
      .replaceAll(/"(?:traceId|(?:parentS|s)panId)":"[\da-f]+"/g, '')
      .replaceAll(/"\w+TimeUnixNano":"\d+"|"intValue":\d+/g, '');
    for (const secret of ['Zanzibar', 'Quetzalcoatl', 'alice', token, '4915']) expect(all).not.toContain(secret);
  });
});
